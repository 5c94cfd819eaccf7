"""Reading of a customer's file of any kind for the stages: a form to fill, or a tender in free text."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from pathlib import Path

from configs.settings import Settings
from tasks.conversion.document.serialization import from_json
from tasks.conversion.files.convert import LOGIC_VERSION as CONVERSION
from tasks.conversion.office.libreoffice import find_workbook_converter
from tasks.conversion.workers.sandbox import Helpers, Limits, Sandbox
from tasks.errors import UsageError
from tasks.questionnaires.customers_file import CustomersFile, ReadAs, read_customers_file, workbook_bytes
from tasks.questionnaires.requirements.find_requirements import LOGIC_VERSION as FINDING
from tasks.questionnaires.requirements.find_requirements import Requirement, find_requirements
from tasks.questionnaires.requirements.tender import Tender, is_tender, read_tender
from tasks.records import Document, Quarantined, SourceFile, content_id
from tasks.spreadsheets.evidence_workbooks import is_evidence, refusal
from tasks.storage.lake import Lake
from tasks.storage.stage_cache import StageCache


def read_file(path: str, settings: Settings, read_as: ReadAs) -> CustomersFile:
    """Read the questions of a customer's file, or the requirements of a tender.

    Raises UsageError as :func:`read_customers_file`, and for an evidence workbook.
    """
    data = workbook_bytes(path)
    if is_tender(data, Path(path).name):
        return CustomersFile(data, _read_tender(Path(path), data, settings))
    if is_evidence(data):
        raise UsageError(refusal(Path(path).name))
    return read_customers_file(path, read_as, find_workbook_converter() if settings.libreoffice else None)


def is_tender_file(path: Path) -> bool:
    """Tell if a file is a tender in free text. Raises UsageError where it cannot be read."""
    return is_tender(workbook_bytes(str(path)), path.name)


def sha256_of(path: Path) -> str:
    """The hash of a file's bytes. Raises UsageError where it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error


def _read_tender(path: Path, data: bytes, settings: Settings) -> Tender:
    """Convert a tender and find its requirements, both once for the same bytes."""
    cache, content = StageCache(Lake(settings.home)), hashlib.sha256(data).hexdigest()
    key = ("index", "requirements", f"{content_id('requirements', path.name, content, CONVERSION, FINDING)}.json")
    kept = cache.get_json(*key)
    if kept is None:
        kept = [asdict(one) for one in find_requirements(_converted(path, data, settings))]
        cache.put_json(kept, *key)
    return read_tender((Requirement(**one) for one in kept), path.name, content)


def _converted(path: Path, data: bytes, settings: Settings) -> Document:
    """The document of a file that is of no corpus. Raises UsageError, with the reason, where it gives no text."""
    given = settings.conversion
    file = SourceFile(path.name, str(path.absolute()), len(data), hashlib.sha256(data).hexdigest())
    limits = Limits(given.seconds, given.memory_mb, given.output_mb)
    with Sandbox(1, limits, Helpers(settings.ocr_language, settings.libreoffice)) as sandbox:
        ((_, converted),) = sandbox.convert([file])
    document = from_json(converted)
    if isinstance(document, Quarantined):
        raise UsageError(document.reason)
    return document
