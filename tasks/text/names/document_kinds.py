"""Kinds of business documents by their words: policy, annual report, agreement, in five languages."""

from __future__ import annotations

import re

_FORMS = {
    "annual report": r"annual report|geschäftsbericht|jahresbericht|rapport annuel|informe anual|relatório anual",
    "quarterly report": r"quarterly report|quartalsbericht|rapport trimestriel|informe trimestral",
    "response": r"responses?(?= to )|(?:rfp|tender|bid|proposal) responses?|\w*angebot|offre|oferta|proposta",
    "request for proposal": r"requests? for (?:proposals?|quotations?|information|tender)|rf[piq]s?|ausschreibung",
    "questionnaire": r"questionnaires?|self[- ]assessment|\w*fragebogen|cuestionario|questionário",
    "terms": r"terms (?:of|and) \w+|terms|allgemeine geschäftsbedingungen|conditions générales|termos de \w+",
    "statement of work": r"statements? of work|sow|leistungsbeschreibung",
    "service level agreement": r"service[- ]level agreements?|slas?",
    "agreement": r"agreements?|contracts?|addend(?:um|a)|dpa|\w*vertrag|\w*vereinbarung|contrato?|acuerdo|acordo",
    "policy": r"policy|policies|\w*richtlinien?|\w*leitlinien?|politique|política",
    "procedure": r"procedures?|process(?:es)?|runbooks?|playbooks?|\w*verfahren|procédure|procedimientos?|procedimento",
    "standard": r"standards?|\w*standards?|norme?|norma",
    "guideline": r"guidelines?|principles|\w*grundsätze|lignes directrices|directrices|diretrizes",
    "handbook": r"handbooks?|\w*handbuch|livret|manual del empleado",
    "manual": r"manuals?|guides?|\w*anleitung|\w*leitfaden|manuel|guide|guía|guia",
    "certificate": r"certificates?|attestations?|\w*zertifikat|certificat|certificado",
    "statement": r"statements?",
    "report": r"reports?|\w*bericht|rapport|informe|relatório",
    "plan": r"plans?|\w*plan|programmes?|programs?",
    "overview": r"overviews?|summary|white ?papers?|fact ?sheets?|data ?sheets?|brochures?|\w*übersicht|aperçu|resumen",
    "price list": r"price lists?|rate cards?|preisliste|tarifs|lista de precios|lista de preços",
    "minutes": r"minutes|\w*protokoll|procès-verbal|acta|ata de reunião",
    "notice": r"notices?|\w*hinweise?|avis|aviso",
    "form": r"(?:application|order|consent) forms?|templates?|\w*formular|formulaire|formulario|formulário",
    "presentation": r"presentations?|slides|deck|präsentation|présentation|presentación|apresentação",
}
_KIND = re.compile(
    r"(?<![^\W_])(?:" + "|".join(f"(?P<_{at}>{form})" for at, form in enumerate(_FORMS.values())) + r")(?![^\W_])",
    re.IGNORECASE,
)
_NAMES = tuple(_FORMS)
_ENDS_PART = re.compile(r"[^\w\s'’-]|\b[a-zß-ÿ]{1,4}\b")
"""The end of a part of a title: a sign, or a short word in small letters ("for", "on", "de")."""
_IS_LAST = re.compile(rf"(?:\s*(?i:\d|v\d|version|draft|final)[\w.-]*)*\s*(?:$|{_ENDS_PART.pattern})")


def any_kind(text: str) -> str:
    """The first kind of document that ``text`` names, wherever; "" where it names none."""
    found = _KIND.search(text)
    return _kind(found) if found else ""


def kind_of(title: str) -> str:
    """The kind of document that ``title`` names, "" where it names none.

    It is what its first part ends with: "Policy Management Process on Contracts" is a procedure, "Policy Management"
    nothing.
    """
    found = _found_kind(title)
    return _kind(found) if found else ""


def parted_by_kind(title: str) -> tuple[str, str]:
    """The words of ``title`` before and after its kind: "Privacy" and "on Cookies" of "Privacy Policy on Cookies".

    A title that names no kind has all of its words before it.
    """
    found = _found_kind(title)
    return (title[: found.start()].strip(), title[found.end() :].strip()) if found else (title, "")


def _found_kind(title: str) -> re.Match[str] | None:
    last: re.Match[str] | None = None
    for match in _KIND.finditer(title):
        if last is not None and _ENDS_PART.search(title, last.start(), match.start()):
            break
        last = match
    return last if last is not None and _IS_LAST.match(title, last.end()) else None


def _kind(found: re.Match[str]) -> str:
    return _NAMES[int((found.lastgroup or "")[1:])]
