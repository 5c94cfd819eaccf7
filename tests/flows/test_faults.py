"""For each expectation of the gate its fault in an otherwise good refresh: refused, told, and ``live`` unmoved."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from great_expectations.expectations import Expectation
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterKey
from prefect.client.schemas.sorting import ArtifactSort

from tasks.errors import GateRefused
from tasks.publishing.task import stage_index
from tasks.quality.suites import chunk_suite, counts_suite, page_suite, vector_suite
from tasks.references import Staged
from tests.made.commands import Bidfolio, run_bidfolio
from tests.made.faults import FAULTS, WARNED, Expected, Fault, write_documents
from tests.made.published import Published

SUITES: dict[str, list[Expectation]] = {
    "counts": counts_suite(0.4, 0.1),
    "pages": page_suite(),
    "chunks": chunk_suite(1, {"": 160}, 0.9),
    "vectors": vector_suite(1),
}
FAILED = "SELECT suite, expectation, column_name, expected FROM quality WHERE NOT passed AND severity = '{}'"


def expectations(severity: str) -> set[Expected]:
    """All expectations of that severity."""
    configs = [(suite, one.configuration) for suite, expected in SUITES.items() for one in expected]
    return {(suite, one.type, one.kwargs.get("column")) for suite, one in configs if one.severity == severity}


@pytest.fixture(scope="module")
def good(prefect_server: None, tmp_path_factory: pytest.TempPathFactory) -> Published:
    """The documents that the faults are planted in, published; whoever changes something takes ``own``."""
    folder = tmp_path_factory.mktemp("good")
    write_documents(folder / "documents")
    refreshed = run_bidfolio(folder / "home", "--json", "refresh", folder / "documents")
    assert refreshed.exit_code == 0, refreshed.err
    assert "warning" not in refreshed.err
    return Published(folder / "home", folder / "documents", refreshed)


@pytest.fixture
def own(good: Published, home: Path, tmp_path: Path) -> Published:
    shutil.copytree(good.home, home, symlinks=True)
    shutil.copytree(good.documents, tmp_path / "documents")
    return Published(home, tmp_path / "documents", good.refreshed)


def newest_artifact(key: str) -> str:
    with get_client(sync_client=True) as client:
        named = ArtifactFilter(key=ArtifactFilterKey(any_=[key]))
        found = client.read_artifacts(artifact_filter=named, sort=ArtifactSort.CREATED_DESC, limit=1)
    return str(found[0].data)


def live(bidfolio: Bidfolio) -> list[Any]:
    versions = bidfolio("--json", "index", "list").summary["versions"]
    return [row["index_version"] for row in versions if row["live"]]


def test_each_expectation_has_its_fault() -> None:
    assert set().union(*(fault.against for fault in FAULTS)) == expectations("critical")
    assert set().union(*(fault.against for fault in WARNED)) == expectations("warning")
    assert len(expectations("critical")) == 27 and len(expectations("warning")) == 4


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_refused(own: Published, bidfolio: Bidfolio, monkeypatch: pytest.MonkeyPatch, fault: Fault) -> None:
    fault.change(own.documents)
    plant_after_staging(monkeypatch, own.home, fault)

    refused = bidfolio("--json", "refresh", own.documents)

    assert refused.exit_code == GateRefused.exit_code == 3, refused.err
    assert refused.out == ""
    assert live(bidfolio) == [own.refreshed.summary["index_version"]]
    failed = bidfolio("--json", "sql", FAILED.format("critical")).summary["rows"]
    assert {tuple(row[:3]) for row in failed} == fault.against
    reason, table = newest_artifact("refused"), newest_artifact("quality")
    assert str(own.home) in reason
    for suite, _, column, expected in failed:
        said = f"{suite}.{column or 'rows'}: {expected}; "
        assert said in refused.err and said in reason
        assert expected in table
    assert (own.home / "data_docs" / "index.html").is_file()


def plant_after_staging(monkeypatch: pytest.MonkeyPatch, home: Path, fault: Fault) -> None:
    def stage_and_plant(*arguments: Any) -> Staged:
        staged = stage_index(*arguments)
        fault.plant(home, staged)
        return staged

    monkeypatch.setattr("flows.refresh.stage_index", stage_and_plant)


@pytest.mark.parametrize("fault", WARNED, ids=lambda fault: fault.name)
def test_a_small_loss_is_told_and_published(own: Published, bidfolio: Bidfolio, fault: Fault) -> None:
    fault.change(own.documents)
    done = bidfolio("--json", "refresh", own.documents)
    assert done.exit_code == 0, done.err
    assert live(bidfolio) == [done.summary["index_version"]] != [own.refreshed.summary["index_version"]]
    warned = bidfolio("--json", "sql", FAILED.format("warning")).summary["rows"]
    assert {tuple(row[:3]) for row in warned} == fault.against
    for suite, _, column, expected in warned:
        assert f"bidfolio: warning: {suite}.{column}: {expected}; " in done.err


def test_a_meant_loss_is_published_by_hand(own: Published, bidfolio: Bidfolio) -> None:
    shutil.rmtree(own.documents / "notes")
    refused = bidfolio("refresh", own.documents)
    assert refused.exit_code == 3
    assert "documents 6 → 2" in refused.err
    command = refused.err.partition("publish this version by hand: bidfolio ")[2].split()
    assert command[:2] == ["index", "publish"] and len(command) == 3

    published = bidfolio("--json", *command)

    assert published.exit_code == 0, published.err
    assert live(bidfolio) == [command[2]]
    assert bidfolio("--json", "sql", "SELECT count(*) FROM documents").summary["rows"] == [[2]]
    again = bidfolio("refresh", own.documents)
    assert again.exit_code == 0 and "nothing has changed" in again.out


def test_what_was_refused_is_refused_again_and_a_mended_folder_is_current(own: Published, bidfolio: Bidfolio) -> None:
    shutil.move(own.documents, own.documents.parent / "unmounted")
    shutil.copytree(own.documents.parent / "unmounted", own.documents, ignore=shutil.ignore_patterns("notes"))
    assert [bidfolio("refresh", own.documents).exit_code for _ in range(2)] == [3, 3]
    shutil.rmtree(own.documents)
    shutil.move(own.documents.parent / "unmounted", own.documents)
    back = bidfolio("--json", "refresh", own.documents)
    assert back.exit_code == 0 and back.summary["documents"]["unchanged"] == 6
    assert live(bidfolio) == [own.refreshed.summary["index_version"]]
