"""Which code page a text in Latin letters is of, by what its languages write."""

from __future__ import annotations

import pytest

from tasks.text.characters import decode_text
from tasks.text.code_pages import latin_code_page

EASTERN = {
    "cp1250": (
        "Zażółć gęślą jaźń. Nasza firma szyfruje wszystkie kopie zapasowe.",
        "Otázka;Odpověď\nŠifrujete zálohy?;Ano, všechny zálohy šifrujeme.\nKdo?;Oddělení bezpečnosti řídí přístup\n",
        "Šifrujeme všetky zálohy zákazníkov. Môžete sa spoľahnúť, že prístup riadi oddelenie bezpečnosti. Kľúče vždy "
        "uchovávame oddelene a každý rok meníme; čítať ich môže len vedúci.",
        "Minden biztonsági mentést titkosítunk. A hozzáférésről a felelős vezető dönt, őt és a külső szakértőt "
        "értesítjük.",
        "Toate copiile de siguranţă sunt criptate şi păstrate în Uniunea Europeană; clienţii sunt anunţaţi.",
        "Šifriramo sve sigurnosne kopije. Ključeve čuvamo odvojeno, a pristup odobrava služba za zaštitu podataka. "
        "Korisnici će biti obaviješteni već isti dan, a u slučaju nedoumice odlučuje voditeljica; "
        "kopije čuva noćna služba.",
    ),
    "cp1254": ("Tüm yedekleri şifreliyoruz; erişim güvenlik ekibiyle sınırlıdır. Değişiklik yapılmadı.",),
    "cp1257": (
        "Šifruojame visas atsargines kopijas, o prieigą valdo saugumo skyrius. Apie įvykius pranešame tą pačią dieną, "
        "o klientų duomenys niekada nepalieka Europos Sąjungos.",
        "Mēs šifrējam visas rezerves kopijas un glabājam atslēgas atsevišķi; piekļuvi pārvalda drošības nodaļa.",
    ),
}
WESTERN = (
    "Größe der Übertragung: 5 µm – geprüft nach § 5",
    "Les sauvegardes sont chiffrées; l’accès est réservé à l’équipe – où ça, dès août, Noël.",
    "Señor Núñez, año 2024. ¿Qué es? 1ª planta, 2º piso, 3ª planta, 4º piso, 5ª",
    "Os dados são cópias não públicas; opções e função técnica é área única",
    "È già così: perché più città, né però virtù lì",
    "Vi gør ændringer på årsbasis; København, Ærø, læse",
    "Þetta er öryggisafrit með lykilorði, ég veit það; ýmis ráð",
    "És així que protegim l’accés i la còpia, tots els països; qüestió",
    "Müller, Núñez, Søren, Ångström and Besançon: the team of Zoë, façade, naïve",
    "Geräteübergabe für Größen; déjà vu, façade, à la carte, Übermaß, Prüfung, Änderung",
    "• “quotes” … ™ ® © footnotes¹ and area 5 m² with 3 m³ and 5½, £500 ±5 °C",
)


@pytest.mark.parametrize(("page", "text"), [(page, text) for page, texts in EASTERN.items() for text in texts])
def test_letters_of_an_eastern_language_tell_its_code_page(page: str, text: str) -> None:
    assert decode_text(text.encode(page)) == (text, page)


@pytest.mark.parametrize("text", WESTERN)
def test_what_a_western_language_writes_is_of_windows_1252(text: str) -> None:
    assert decode_text(text.encode("cp1252")) == (text, "cp1252")


@pytest.mark.parametrize("data", [b"", b"plain", "řě".encode("cp1250"), b"\x81\x8d\x8f\x90\x9d"])
def test_a_few_letters_tell_nothing(data: bytes) -> None:
    assert latin_code_page(data) == "cp1252"
