"""Texts in the bytes of a Lance file, whatever the table's versions still show: FSST columns and FST token sets.

A deleted row is in its file until that is written anew, and readers no longer see it. Strings are compressed by FSST
(Boncz et al. 2020), each column with a symbol table of its own; the words of a full-text index are a finite-state
transducer as Rust's crate ``fst`` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator

_FSST_MAGIC = b"TSSF"
_FSST_MAGIC_AT, _SYMBOL, _ESCAPE = 4, 8, b"\xff"
_FST_HEADER = b"\x03" + bytes(15)
"""Version 3, type 0, as two 64-bit numbers."""
_FST_FOOTER = 20
"""The bytes of the number of keys, the root's address and a checksum."""
_COMMON = b"te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHGW"
"""The bytes that a transition may name by their place, from 1."""
_INDEXED_FROM = 32
"""A node with more transitions has an index of 256 bytes."""


def texts_of_lance(data: bytes) -> Iterator[bytes]:
    """The bytes themselves, then as each symbol table in them decodes them, then the words of each token set."""
    yield data
    for table in _symbol_tables(data):
        # A code after an escape is a literal: from the second byte on, escapes may stand at other places.
        yield _decoded(data, table)
        yield _decoded(data[1:], table)
    at = data.find(_FST_HEADER)
    while at >= 8:
        end = at + int.from_bytes(data[at - 8 : at], "little")
        if at < end <= len(data):
            yield b"\n".join(fst_words(data[at:end]))
        at = data.find(_FST_HEADER, at + 1)


def _symbol_tables(data: bytes) -> Iterator[list[bytes]]:
    at = data.find(_FSST_MAGIC)
    while at != -1:
        begin = at - _FSST_MAGIC_AT
        count = data[begin]
        symbols = begin + 8
        lengths = data[symbols + _SYMBOL * count : symbols + _SYMBOL * count + count]
        found = [data[symbols + _SYMBOL * k :][: lengths[k]] for k in range(count)]
        yield found + [b""] * (256 - count)
        at = data.find(_FSST_MAGIC, at + 1)


def _decoded(data: bytes, table: list[bytes]) -> bytes:
    first, *escaped = data.split(_ESCAPE)
    parts = [b"".join([table[code] for code in first])]
    parts += [part[:1] + b"".join([table[code] for code in part[1:]]) for part in escaped]
    return b"".join(parts)


def fst_words(fst: bytes) -> Iterator[bytes]:
    """The keys of a transducer, sorted."""
    root = int.from_bytes(fst[-_FST_FOOTER + 8 : -_FST_FOOTER + 16], "little")
    waiting = [(root, b"")]
    while waiting:
        address, word = waiting.pop()
        is_final, edges = _node(fst, address)
        if is_final:
            yield word
        waiting += [(to, word + bytes([byte])) for byte, to in sorted(edges, reverse=True)]


def _node(fst: bytes, at: int) -> tuple[bool, list[tuple[int, int]]]:
    """A node whose last byte is at that address: if it ends a key, and its transitions by byte and target."""
    if at == 0:
        return True, []
    state = fst[at]
    place = at - 1
    if state & 0x80:
        common = state & 0x3F
        byte = _COMMON[common - 1] if common else fst[place]
        place -= not common
        if state & 0x40:  # the target is the node just before
            return False, [(byte, place)]
        width, output = fst[place] >> 4, fst[place] & 0xF
        end = place - width - output
        return False, [(byte, _target(fst, place - width, width, end))]
    count = state & 0x3F
    if not count:
        count = 256 if fst[place] == 1 else fst[place]
        place -= 1
    width, output = fst[place] >> 4, fst[place] & 0xF
    is_final = bool(state & 0x40)
    inputs = place - (256 if count > _INDEXED_FROM else 0)
    end = inputs - count - count * width - count * output - (output if is_final else 0)
    edges = [(fst[inputs - 1 - k], _target(fst, inputs - count - (k + 1) * width, width, end)) for k in range(count)]
    return is_final, edges


def _target(fst: bytes, at: int, width: int, end: int) -> int:
    delta = int.from_bytes(fst[at : at + width], "little")
    return end - delta if delta else 0
