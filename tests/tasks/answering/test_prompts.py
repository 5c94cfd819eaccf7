"""What a model is told."""

from dataclasses import replace
from pathlib import Path

import pytest

import tasks.llm.prompts
from tasks.answering.drafts.draft import Asked
from tasks.answering.generators.prompts import answer_request, reply_schema, system_prompt, user_prompt
from tasks.llm.prompts import PROMPTS_DIR, prompt, prompts_version
from tasks.records import Question
from tests.made.snapshots import TEXT, asked, hit


def test_passages_are_numbered_and_have_file_section_and_page() -> None:
    item = asked("How often?", "free_text", hit("Keys are rotated.", rank=2, page=7, section="Security > Keys"))
    told = user_prompt(item)
    passages = f"[1] bcp.pdf, p. 4\n{TEXT}\n\n[2] bcp.pdf, § Keys, p. 7\nKeys are rotated."
    assert told.startswith(f"Passages:\n\n{passages}\n\nQuestion: How often?")
    row = replace(item.hits[0].chunk, page_spans=(), sheet_name="Past", row_number=9)
    assert "[1] bcp.pdf, sheet Past, row 9\n" in user_prompt(Asked(item.question, [replace(item.hits[0], chunk=row)]))


def test_a_question_for_words_wants_no_verdict_and_names_the_limit_of_the_customer() -> None:
    question = Question("q", 0, "How often?", max_characters=80)
    assert user_prompt(Asked(question, [hit()])).endswith(
        "Question: How often?\nAnswer in words. The answer has at most 80 characters."
    )
    assert "at most" not in user_prompt(Asked(replace(question, max_characters=None), [hit()]))


def test_a_yes_or_no_is_asked_for_without_a_side() -> None:
    orders = set()
    for number in range(20):
        told = user_prompt(asked(f"Do you keep {number} copies?", "yes_no"))
        decision = told.rsplit("\n", 1)[1]
        assert decision.startswith(f"Decide from the passages alone whether or not you keep {number} copies.")
        assert 'or no passage says it ("not_found")' in decision
        orders.add(decision.index('("yes")') < decision.index('("no")'))
    assert orders == {True, False}
    assert 'as good a verdict as "yes"' in system_prompt()


def test_a_verdict_comes_after_its_passages_and_before_its_words_and_is_never_null() -> None:
    properties = reply_schema(2, is_yes_no=True)["properties"]
    assert isinstance(properties, dict) and [*properties] == ["citations", "verdict", "answer"]
    assert properties["verdict"]["enum"] == ["yes", "no", "partial", "not_found"]
    assert "verdict" not in str(reply_schema(2))
    assert answer_request(asked("Is it?", "yes_no")).schema == reply_schema(1, is_yes_no=True)


def test_what_documents_say_is_never_read_as_a_field_of_a_prompt() -> None:
    told = user_prompt(
        Asked(Question("q", 0, "What is $question, or ${wish}?"), [hit("It costs $9, $$ and $passages.")])
    )
    assert "It costs $9, $$ and $passages." in told and "What is $question, or ${wish}?" in told


def test_a_changed_prompt_is_another_version_and_another_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = answer_request(asked())
    (tmp_path / "answer").mkdir()
    for path in (PROMPTS_DIR / "answer").glob("*.md"):
        (tmp_path / "answer" / path.name).write_bytes(path.read_bytes())
    monkeypatch.setattr(tasks.llm.prompts, "PROMPTS_DIR", tmp_path)
    assert answer_request(asked()).key("s", "m") == before.key("s", "m")
    with (tmp_path / "answer" / "yes_no.md").open("a") as more:
        more.write("Think.\n")
    after = answer_request(asked())
    assert after.prompt == before.prompt and after.version != before.version
    assert after.key("s", "m") != before.key("s", "m")
    assert prompts_version("answer") == after.version


def test_a_field_without_a_value_is_an_error_not_a_gap() -> None:
    with pytest.raises(KeyError):
        prompt("answer/length")


def test_what_does_not_fit_loses_its_last_passage_first_and_keeps_one() -> None:
    item = asked("How often?", "free_text", *(hit(f"Part {rank}. " + "x" * 3000, rank=rank) for rank in (2, 3, 4)))
    request = answer_request(item)
    assert request.within(request.tokens) == (request, 0)
    shorter, left_out = request.within(request.tokens - 1500)
    assert left_out == 2 and "Part 2." in shorter.prompt and "Part 3." not in shorter.prompt
    assert shorter.tokens <= request.tokens - 1500
    assert shorter.schema["properties"]["citations"]["maxItems"] == 2  # type: ignore[index]
    least, left_out = request.within(10)
    assert left_out == 3 and TEXT in least.prompt and least.shorter is None


def test_a_length_in_tokens_is_rather_overestimated() -> None:
    """SmolLM2's tokenizer, which takes digits one by one, counts 1786 tokens in this."""
    figures = "Backups of the production database are kept for thirty-five days (AES-256, ISO 27001:2022, 99.95%). "
    hits = [hit(figures * 8, rank=rank) for rank in range(2, 6)]
    request = answer_request(asked("How often are snapshots taken?", "yes_no", *hits))
    assert 1786 < request.tokens - request.max_tokens < 2 * 1786


def test_a_tone_stands_in_the_part_that_all_requests_share() -> None:
    told = answer_request(asked(), "formal, in the third person")
    assert "Keep to this tone, as far as it changes nothing that is stated: formal, in the third person." in told.system
    assert "$tone" not in system_prompt() and "tone" not in system_prompt()
    assert told.prompt == answer_request(asked()).prompt
    assert told.key("s", "m") != answer_request(asked()).key("s", "m")
    many = asked("How often?", "free_text", *(hit(f"Part {rank}. " + "x" * 3000, rank=rank) for rank in (2, 3)))
    shorter = answer_request(many, "brief").shorter
    assert shorter is not None and "brief" in shorter().system, "it stays where passages give way"
