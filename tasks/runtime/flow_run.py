"""The flow run that this process is in, and its artifacts in Prefect.

Prefect takes a second to import: a command that runs no flow must not. So each function here imports it when it is
called, and none is needed to see that nothing of it is loaded, and so no flow can be running.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID


def is_in_flow() -> bool:
    """Tell if this code runs in a flow."""
    if "prefect" not in sys.modules:
        return False
    from prefect.context import FlowRunContext

    return FlowRunContext.get() is not None


def flow_run_id() -> str:
    """The id of the flow run that this code runs in, or in a task of it; "" outside a flow."""
    if "prefect" not in sys.modules:
        return ""
    from prefect.runtime import flow_run

    return str(flow_run.get_id() or "")


def add_table(key: str, rows: Sequence[Mapping[str, Any]], description: str) -> None:
    """Add a table to the flow run's artifacts."""
    from prefect.artifacts import create_table_artifact

    create_table_artifact(key=key, table=[dict(row) for row in rows], description=description)


def add_markdown(key: str, markdown: str, description: str | None = None) -> None:
    """Add a page to the flow run's artifacts."""
    from prefect.artifacts import create_markdown_artifact

    create_markdown_artifact(key=key, markdown=markdown, description=description)


def report_crashed(run_id: str, why: str) -> None:
    """Give another flow run, whose process is gone, the state Crashed; one that Prefect has forgotten is no error."""
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound
    from prefect.states import Crashed

    with suppress(ObjectNotFound), get_client(sync_client=True) as client:
        client.set_flow_run_state(UUID(run_id), Crashed(message=why))
