"""A settled answer with all that the audit log keeps of it."""

from __future__ import annotations

from configs.plans import Answering, load_plan
from tasks.answering.audit.log import Settled
from tasks.answering.decision.decide import decide
from tasks.answering.drafts.draft import Asked, Attempt, Check, Draft
from tasks.records import Citation, Question
from tests.made.hits import hit

TEXT = "Backups are kept for 35 days."
PLAN = load_plan("bidfolio").model_copy(update={"answering": Answering(decline_below=0.1, review_below=0.2)})
ATTEMPTS = (
    Attempt("openai", "m", "a" * 64, "prose", "not of the asked shape", 0.25, "v"),
    Attempt("openai", "m", "b" * 64, '{"answer": "…"}', None, 0.5, "v"),
)


def settled(question_id: str = "q", text: str = TEXT) -> Settled:
    """An answer with two attempts and two checks, one of which failed."""
    asked = Asked(Question(question_id, 0, "How long are backups kept?", row_number=2), [hit(TEXT)])
    quoted = Citation("d", "policy.pdf", "0" * 64, 3, TEXT, 100, 100 + len(TEXT))
    checks = (Check("figures", True), Check("names", False, "no Dublin"))
    draft = Draft(text, None, (quoted,), 0.9, attempts=ATTEMPTS, checks=checks)
    return Settled(asked, draft, decide(asked, draft, PLAN.answering, "openai"))
