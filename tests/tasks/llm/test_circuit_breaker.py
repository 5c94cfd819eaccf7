"""The circuit breaker, by a clock that the test moves."""

from tasks.llm.circuit_breaker import Breaker


def test_it_opens_after_failures_in_a_row_and_lets_one_through_after_each_pause() -> None:
    breaker = Breaker(failures=3, pause_s=30)
    for _ in range(2):
        assert breaker.refusal(0) is None
        breaker.failed(0, "status 500")
    breaker.worked()
    for second in range(3):
        assert breaker.refusal(second) is None
        breaker.failed(second, "status 500")
    assert breaker.refusal(31.9) == "after 3 failures in a row it is not asked for a while: status 500"
    assert breaker.refusal(32) is None, "the pause is over: one may see"
    assert breaker.refusal(32) is not None, "one, and not two"
    breaker.failed(33, "no reply")
    assert "no reply" in (breaker.refusal(62.9) or "")
    assert breaker.refusal(63) is None
    breaker.worked()
    assert breaker.refusal(63) is breaker.refusal(64) is None


def test_one_that_is_let_through_and_never_comes_back_does_not_close_it_for_ever() -> None:
    breaker = Breaker(failures=1, pause_s=10)
    breaker.failed(0, "away")
    assert breaker.refusal(10) is None and breaker.refusal(19) is not None
    assert breaker.refusal(20) is None
