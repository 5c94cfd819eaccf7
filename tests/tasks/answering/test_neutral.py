"""Yes/no questions, put so that they suggest neither."""

import pytest

from tasks.answering.generators.neutral_wording import neutral, puts_no_first


@pytest.mark.parametrize(
    ("question", "put"),
    [
        ("Do you encrypt backups?", "whether or not you encrypt backups"),
        ("Do you  encrypt\nbackups? (Yes/No)", "whether or not you encrypt backups"),
        ("Are you certified to ISO 27001?", "whether or not you are certified to ISO 27001"),
        ("Have you had a breach since 2023?", "whether or not you have had a breach since 2023"),
        ("Is the service desk staffed?", 'which is the case: "Is the service desk staffed", or not'),
        ("Is there a bug bounty programme?", "whether or not there is a bug bounty programme"),
        ("Can you restore within 4 hours?", "whether or not you can restore within 4 hours"),
        ("Please confirm that all staff are vetted.", "whether or not all staff are vetted"),
        ("Can you please confirm whether MFA is enforced?", "whether or not MFA is enforced"),
        ("Do you encrypt backups, don't you?", "whether or not you encrypt backups"),
        ("You encrypt backups, correct?", 'which is the case: "You encrypt backups", or not'),
        ("Are backups encrypted?", 'which is the case: "Are backups encrypted", or not'),
        ("Do you not log passwords?", 'which is the case: "Do you not log passwords", or not'),
        ("Does the service, or any part of it, store card data?", None),
        ("", 'which is the case: "", or not'),
    ],
)
def test_the_wish_for_a_yes_is_gone_and_nothing_else(question: str, put: str | None) -> None:
    if put is None:
        put = f'which is the case: "{question[:-1]}", or not'
    assert neutral(question) == put


def test_for_half_of_the_questions_no_is_named_first_always_for_the_same() -> None:
    questions = [f"Do you keep logs for {days} days?" for days in range(400)]
    first = [puts_no_first(question) for question in questions]
    assert first == [puts_no_first(question) for question in questions]
    assert 150 < sum(first) < 250
