"""Places in documents as people read them."""

from __future__ import annotations

from pathlib import PurePosixPath


def page_place(page_number: int, page_label: str | None = None) -> str:
    """A page for people: ``p. 7``; with its printed label ``p. 4 (sheet 7)``."""
    return f"p. {page_label} (sheet {page_number})" if page_label else f"p. {page_number}"


def locator(
    file_name: str,
    page_number: int | None,
    sheet_name: str | None,
    row_number: int | None,
    section_path: str = "",
    page_label: str | None = None,
) -> str:
    """A place for people: ``file, p. N``; ``file, sheet S, row N``; ``file, § section``; or the file name."""
    if page_number is not None:
        return f"{file_name}, {page_place(page_number, page_label)}"
    if row_number is not None:
        sheet = f"sheet {sheet_name}, " if sheet_name else ""
        return f"{file_name}, {sheet}row {row_number}"
    if section_path:
        return f"{file_name}, § {section_path.rsplit(' > ', 1)[-1]}"
    return file_name


def whole_place(
    file_name: str,
    page_number: int | None,
    sheet_name: str | None,
    row_number: int | None,
    section_path: str | None,
    page_label: str | None,
    document_name: str | None,
) -> str:
    """A place with the document's name and the section: ``name: file, § section, p. N``.

    A name that the file's says as well is left out.
    """
    section = f", § {section_path.rsplit(' > ', 1)[-1]}" if section_path else ""
    place = locator(file_name, page_number, sheet_name, row_number, "", page_label)
    is_new = _plain(document_name or "") not in ("", _plain(PurePosixPath(file_name).stem))
    named = f"{document_name}: " if is_new else ""
    return f"{named}{file_name}{section}{place.removeprefix(file_name)}"


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))
