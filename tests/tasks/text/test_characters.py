from __future__ import annotations

import random
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tasks.errors import ConversionError
from tasks.sources.file_types import detect_kind
from tasks.text.characters import (
    LINE_END_HYPHEN,
    RAISED,
    clean_block,
    clean_line,
    count_tokens,
    count_words,
    decode_text,
    fold,
    is_bullet,
    is_contents_entry,
    is_numbered,
    leader_of,
    mend_hyphens,
)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  two   spaces ", "two spaces"),
        ("no\xa0break\u2009thin", "no break thin"),
        ("nul\x00 and \x07bell", "nul and bell"),
        ("e\ufb03cient \ufb02ow", "efficient flow"),
        ("soft\xadhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("\uf0b7 symbol", "• symbol"),
        ("broken \ud800 half", "broken half"),
        ("a\r\nb", "a b"),
        ("", ""),
    ],
)
def test_clean_line(raw: str, clean: str) -> None:
    assert clean_line(raw) == clean


def test_clean_block_keeps_lines() -> None:
    assert clean_block("a \r\n\r\n  b\rc") == "a\nb\nc"


@pytest.mark.parametrize(
    ("raw", "document", "mended"),
    [
        ("infor\x02mation", "", "information"),
        ("out-of\x02network", "", "out-of-network"),
        ("in\x02network", "in-network providers", "in-network"),
        ("state-of\x02the-art", "", "state-of-the-art"),
        ("manage\x02ment", "management may manage", "management"),
        ("Non\x02participating", "non-participating", "Non-participating"),
        ("cost\x02effective", "the cost is effective", "cost-effective"),
        ("AES\x02256", "", "AES-256"),
        ("ISO\x02certified", "", "ISO-certified"),
        ("EN\x02CRYPTION", "", "EN-CRYPTION"),
        ("I\x02tem", "", "Item"),
        ("by e\x02mail", "", "by e-mail"),
        ("E\x02mail", "", "E-mail"),
        ("x\x02ray", "", "x-ray"),
        ("e\x02mail", "send an email", "email"),
        ("e\x02mail", "an e-mail is an email", "e-mail"),
        ("long\x02term", "Long-term plans", "long-term"),
        ("long\x02term", "the term is as long", "long-term"),
        ("long\x02term", "", "longterm"),
        ("thirty\x02five days", "", "thirty-five days"),
        ("the twenty\x02first", "", "the twenty-first"),
        ("seventy\x02odd", "", "seventyodd"),
        ("a \x02 b", "", "a - b"),
        ("pre\x02and post-sales", "", "pre- and post-sales"),
        ("br\x02andy", "", "brandy"),
        ("no mark", "", "no mark"),
    ],
)
def test_hyphens_at_line_ends(raw: str, document: str, mended: str) -> None:
    assert mend_hyphens(raw, lambda: count_words(count_tokens(document))) == mended


@given(st.text(alphabet=st.sampled_from("abcXYZ019 -" + LINE_END_HYPHEN), max_size=60))
def test_mending_never_changes_a_letter(raw: str) -> None:
    assert fold(mend_hyphens(raw, lambda: count_words(count_tokens(raw)))) == fold(raw)


@given(st.text(max_size=80))
def test_cleaning_is_done_once(raw: str) -> None:
    assert clean_line(clean_line(raw)) == clean_line(raw)


@given(st.one_of(st.text(max_size=80), st.text(st.characters(codec="ascii"), max_size=80)))
@example("ΑΣ, İ_ſ K \ud800")
@example("4¹ hours, 10⁻⁶")
@example("• “A quote” – its end…")
def test_folding_leaves_letters_and_digits_in_lower_case_and_none_raised(raw: str) -> None:
    plain = "".join(RAISED.get(letter, letter) for letter in raw)
    assert fold(raw) == re.sub(r"[\W_]+", "", plain).lower()


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"", "", "utf-8"),
        ("é".encode(), "é", "utf-8"),
        (b"\xef\xbb\xbfa", "a", "utf-8-sig"),
        ("né".encode("utf-16"), "né", "utf-16"),
        ("words without a mark".encode("utf-16-le"), "words without a mark", "utf-16-le"),
        ("words without a mark".encode("utf-16-be"), "words without a mark", "utf-16-be"),
        ("5 € – “né”".encode("cp1252"), "5 € – “né”", "cp1252"),
    ],
)
def test_decode_text(data: bytes, text: str, encoding: str) -> None:
    assert decode_text(data) == (text, encoding)


OTHER_SCRIPTS = {
    "Все данные клиентов шифруются (AES-256). Резервные копии хранятся 35 дней.": ("cp1251", "koi8-r", "cp866"),
    "Όλα τα δεδομένα των πελατών κρυπτογραφούνται με AES-256.": ("cp1253",),
    "すべての顧客データは保存時に暗号化されます。バックアップは35日間保管されます。": ("shift_jis", "euc_jp"),
    "所有客户数据在存储时加密。备份保存35天。": ("gb18030",),
    "모든 고객 데이터는 암호화됩니다. 백업은 35일 보관됩니다.": ("euc_kr",),
    "כל נתוני הלקוחות מוצפנים. גיבויים נשמרים 35 יום.": ("cp1255",),
}


@pytest.mark.parametrize(("text", "encoding"), [(text, one) for text, all_ in OTHER_SCRIPTS.items() for one in all_])
@pytest.mark.parametrize("times", [1, 3000])
def test_text_in_another_script_without_a_declaration(text: str, encoding: str, times: int) -> None:
    data = "\n".join([text] * times).encode(encoding)
    assert decode_text(data).text == "\n".join([text] * times)
    assert detect_kind("a.txt", data) == "txt"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("①㈱髙﨑\n" + "当社は個人データを暗号化して保存します。\n" * 20, "cp932"),
        ("朱镕基主席\n" + "本公司以加密方式存储个人数据。\n" * 20, "gb18030"),
        ("본사는 개인 데이터를 암호화하여 저장합니다. 똠방각하\n" * 5, "cp949"),
    ],
)
def test_characters_of_windows_spoil_no_text(text: str, encoding: str) -> None:
    assert decode_text(text.encode(encoding)).text == text


def test_a_few_wrong_bytes_spoil_no_text() -> None:
    text = "Größe ändern – Überprüfung der Maßnahmen.\n" * 5
    assert decode_text(text.encode() + b"\xff") == (f"{text}\ufffd", "utf-8")
    text = "本公司以加密方式存储个人数据。\n" * 9000
    found = decode_text(text.encode("gb18030") + b"\xff")
    assert found == (f"{text}\ufffd", "gb18030")


@pytest.mark.parametrize(
    "text",
    [
        "Größe",
        "Straße, Größe, Überprüfung",
        "Alle Daten der Kunden werden verschlüsselt – größere Mengen auch länger.",
        "Name;Price\nHosting;£5\nSupport;£7\n",
        "The café’s owner paid €5 – naïve",
        "Sí. ¿Qué tan rápido? «Muy» rápido, ½ día.",
    ],
)
def test_text_in_a_latin_script_is_of_windows(text: str) -> None:
    assert decode_text(text.encode("cp1252")) == (text, "cp1252")


@pytest.mark.parametrize("seed", range(5))
def test_bytes_of_no_text_are_none(seed: int) -> None:
    noise = random.Random(seed)
    for length in (400, 100_000):
        for bytes_ in (range(256), range(1, 256), range(128, 256)):
            with pytest.raises(ConversionError, match="binary content"):
                detect_kind("a.txt", bytes(noise.choices(bytes_, k=length)))


@pytest.mark.parametrize("said", ["шифр", "暗号"])
@pytest.mark.parametrize("declared", ['<meta charset="{}">', "<META content='text/html; charset={}'>"])
def test_a_page_is_decoded_as_it_says_of_itself(said: str, declared: str) -> None:
    encoding = "koi8-r" if said == "шифр" else "shift_jis"
    page = f"<html><head>{declared.format(encoding)}</head><body>{said}</body></html>"
    assert decode_text(page.encode(encoding)).text == page


@pytest.mark.parametrize(
    "name", ["iso-8859-1", "utf-8", "utf-16", "no-such", "base64", "rot13", "undefined", "idna", "é"]
)
def test_a_page_that_says_what_cannot_be_is_of_windows(name: str) -> None:
    data = f'<meta charset="{name}">'.encode("cp1252") + b"Z\xfcrich \x96 always"
    assert decode_text(data).text.endswith("Zürich – always")


def test_the_beginning_of_a_text_may_end_within_a_character() -> None:
    text = "шифр" * 3
    assert decode_text(text.encode()[:-1], is_cut=True) == (text[:-1], "utf-8")
    assert decode_text("café".encode("cp1252")) == ("café", "cp1252")


@pytest.mark.parametrize("before", ["", "x"])
def test_a_long_text_in_another_script_is_text(before: str) -> None:
    """Its kind is told by its beginning, which ends where it ends."""
    data = (before + "Резервные копии шифруются всегда. " * 4000).encode()
    assert detect_kind("a.txt", data) == "txt"


@pytest.mark.parametrize("line", ["• one", "•one", "- one", "– one", "▪ one", "* one"])
def test_bullets(line: str) -> None:
    assert is_bullet(line)


@pytest.mark.parametrize("line", ["-5 degrees", "■cient", "--", "one", "on one"])
def test_not_bullets(line: str) -> None:
    assert not is_bullet(line)


@pytest.mark.parametrize("line", ["1. one", "(a) one", "iv) one", "12) one"])
def test_numbers(line: str) -> None:
    assert is_numbered(line)


@pytest.mark.parametrize("line", ["2024. one", "1.5 GB", "One. Two", "e.g. this"])
def test_not_numbers(line: str) -> None:
    assert not is_numbered(line)


def test_contents_entries() -> None:
    assert is_contents_entry("1 Scope . . . . . . . 12") and is_contents_entry("Scope.......iv")
    assert not is_contents_entry("It ends ... 12") and not is_contents_entry("Scope 12")
    assert leader_of("1 Scope . . . . 12") == (7, 16) and leader_of("It ends ... 12") is None
