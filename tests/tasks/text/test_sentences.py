from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tasks.text.sentences import sentence_spans


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \n\t ", []),
        ("One sentence", ["One sentence"]),
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("  Room around it.  And here.  ", ["Room around it.", "And here."]),
        ("A line\nanother line", ["A line", "another line"]),
        ("A paragraph.\n\nThe next one.", ["A paragraph.", "The next one."]),
        ("It ends. then it goes on.", ["It ends. then it goes on."]),
        (
            "We log access, e.g. Logins and exports. It is kept.",
            ["We log access, e.g. Logins and exports.", "It is kept."],
        ),
        ("Keys, i.e. AES keys, rotate. Always.", ["Keys, i.e. AES keys, rotate.", "Always."]),
        ("See Art. 28 GDPR. It applies.", ["See Art. 28 GDPR.", "It applies."]),
        ("Control no. 7 is met. No. 8 is not.", ["Control no. 7 is met.", "No. 8 is not."]),
        ("Northgate Inc. Dublin signs.", ["Northgate Inc. Dublin signs."]),
        ("Dr. Smith and Mrs. Jones agree. Both sign.", ["Dr. Smith and Mrs. Jones agree.", "Both sign."]),
        ("J. P. Morgan audits us. Yearly.", ["J. P. Morgan audits us.", "Yearly."]),
        ("The U.S. Government is a customer.", ["The U.S. Government is a customer."]),
        ("Version 1.10 is out. It is stable.", ["Version 1.10 is out.", "It is stable."]),
        ("1. First item\n2. Second item", ["1. First item", "2. Second item"]),
        ("4.2.1. Scope of the audit", ["4.2.1. Scope of the audit"]),
        ("a. Option one. B follows.", ["a. Option one.", "B follows."]),
        ("He said “Stop.” Then he left.", ["He said “Stop.”", "Then he left."]),
        ("(Seen above.) Next one.", ["(Seen above.)", "Next one."]),
        ("It is so. “Quite,” she said.", ["It is so.", "“Quite,” she said."]),
        ("Done. • A bullet", ["Done.", "• A bullet"]),
        ("Fertig. Äpfel sind da.", ["Fertig.", "Äpfel sind da."]),
        ("Wait... Then go.", ["Wait...", "Then go."]),
    ],
)
def test_where_sentences_end(text: str, sentences: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == sentences


@given(st.text(alphabet=st.sampled_from("Ab .!?\n”)1e") | st.characters(), max_size=80))
def test_the_spans_hold_all_that_is_written(text: str) -> None:
    spans = list(sentence_spans(text))
    position, kept = 0, ""
    for start, end in spans:
        assert position <= start < end
        assert text[start:end] == text[start:end].strip()
        assert not text[position:start].strip()
        position, kept = end, kept + text[start:end]
    assert not text[position:].strip()
    assert "".join(kept.split()) == "".join(text.split())
