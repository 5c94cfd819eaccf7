from __future__ import annotations

import io
import json

import numpy as np
import pytest

from tasks.storage.seals import with_seal, without_seal

PLACE = ("index", "converted", "a.json")
CONTENT = json.dumps({"text": "Backups are encrypted."}).encode()


def npz() -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, numbers=np.arange(100))
    return buffer.getvalue()


@pytest.mark.parametrize(("content", "place"), [(CONTENT, PLACE), (npz(), ("index", "states", "a.npz"))])
def test_a_file_is_read_as_it_was_written_and_nowhere_cut_short(content: bytes, place: tuple[str, ...]) -> None:
    raw = with_seal(content, place)
    assert without_seal(raw, place) == content
    for length in range(0, len(raw), 7):
        if length == len(content):
            continue  # nothing but the seal is gone
        with pytest.raises(ValueError, match=r"."):
            without_seal(raw[:length], place)


def test_a_sealed_file_is_what_it_was_for_every_other_reader() -> None:
    assert json.loads(with_seal(CONTENT, PLACE)) == json.loads(CONTENT)
    with np.load(io.BytesIO(with_seal(npz(), ("index", "states", "a.npz")))) as arrays:
        assert arrays["numbers"].tolist() == list(range(100))


def test_a_file_of_another_place_or_with_other_bytes_is_damaged() -> None:
    raw = with_seal(CONTENT, PLACE)
    for spoilt, place in ((raw, ("index", "converted", "b.json")), (raw.replace(b"Backups", b"Nothing"), PLACE)):
        with pytest.raises(ValueError, match="its content is not what was written"):
            without_seal(spoilt, place)


@pytest.mark.parametrize(
    ("raw", "name", "reason"),
    [
        (b"", "a.json", "it is empty"),
        (CONTENT[:-5], "a.json", "Unterminated string"),
        (with_seal(CONTENT, PLACE)[:-5], "converted/a.json", "its end is gone"),
        (npz()[:-5], "a.npz", "not a zip file"),
    ],
)
def test_a_file_of_an_older_bidfolio_is_taken_where_it_is_whole(raw: bytes, name: str, reason: str) -> None:
    assert without_seal(CONTENT, PLACE) == CONTENT and without_seal(npz(), ("a.npz",)) == npz()
    with pytest.raises(ValueError, match=reason):
        without_seal(raw, ("index", name))
