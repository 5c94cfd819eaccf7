"""The rules of the house, read from the imports. There is no list of exceptions."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import Literal

import pytest

ROOT = Path(__file__).resolve().parents[1]
HOUSE = ("flows", "tasks", "configs")
MAX_LINES = 400
MAX_MODULES = 16
RIDDLES = frozenset("What Whether How Where Why Which That Who".split())
"""Words that begin a question, not the description of a thing."""

Kind = Literal["flow", "task", "adapter", "pure"]

SYSTEMS = {
    "prefect": "Prefect",
    "dask": "Dask",
    "distributed": "Dask",
    "lance": "LanceDB",
    "lancedb": "LanceDB",
    "great_expectations": "Great Expectations",
    "openai": "network",
    "httpx": "network",
    "requests": "network",
    "urllib.request": "network",
    "http.client": "network",
    "socket": "network",
    "fsspec": "file systems",
    "s3fs": "file systems",
    "sentence_transformers": "torch",
    "torch": "torch",
    "subprocess": "processes",
    "multiprocessing": "processes",
}
"""Outside systems by the module that reaches them; a module of which only a part does is named with the part."""
SURROUNDINGS = {"time": "clock", "pydantic_settings": "environment", "secrets": "chance"}


@dataclass(frozen=True)
class Module:
    name: str
    path: Path
    imports: frozenset[str]
    systems: frozenset[str]
    surroundings: frozenset[str]
    is_program: bool = False
    """Whether it runs in a process of its own, in which it joins logic and adapters as a task module does in a flow."""

    @property
    def kind(self) -> Kind:
        if self.name.startswith("flows"):
            return "flow"
        if "tasks.runtime.stage" in self.imports or self.is_program:
            return "task"
        return "adapter" if self.systems or self.surroundings else "pure"

    @property
    def is_config(self) -> bool:
        return self.name.startswith("configs")


def dotted(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def running(node: ast.AST) -> Iterator[ast.AST]:
    """Every node below that runs: what stands under ``if TYPE_CHECKING:`` does not."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for statement in child.orelse:
                yield statement
                yield from running(statement)
            continue
        yield child
        yield from running(child)


def imported(tree: ast.AST) -> set[str]:
    """The dotted names that a module imports, lazily or not; a relative import is against the house's habit."""
    names: set[str] = set()
    for node in running(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, "relative import"
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in (
            "importlib.import_module",
            "__import__",
        ):
            names |= {str(argument.value) for argument in node.args if isinstance(argument, ast.Constant)}
    return names


def surroundings(tree: ast.AST, names: set[str]) -> set[str]:
    """What of the process' surroundings a module touches: the environment, the clock, chance."""
    found = {what for module, what in SURROUNDINGS.items() if module in {name.split(".")[0] for name in names}}
    for node in running(tree):
        if not isinstance(node, ast.Attribute):
            continue
        if node.attr in ("environ", "environb", "getenv", "putenv") and ast.unparse(node.value) == "os":
            found.add("environment")
        if node.attr in ("now", "utcnow", "today") and "datetime" in {name.split(".")[0] for name in names}:
            found.add("clock")
    if names & {"os.environ", "os.getenv"}:
        found.add("environment")
    return found


def systems(names: set[str]) -> set[str]:
    return {
        system
        for module, system in SYSTEMS.items()
        if any(name == module or name.startswith(f"{module}.") for name in names)
    }


def read_module(path: Path, root: Path) -> Module:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = imported(tree)
    return Module(
        dotted(path, root),
        path,
        frozenset(names),
        frozenset(systems(names)),
        frozenset(surroundings(tree, names)),
        any(isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'" for node in tree.body),
    )


@cache
def house(root: Path = ROOT) -> dict[str, Module]:
    paths = (path for part in HOUSE for path in sorted((root / part).rglob("*.py")))
    return {module.name: module for module in (read_module(path, root) for path in paths)}


def uses(module: Module, modules: dict[str, Module]) -> list[Module]:
    """The modules of the house that ``module`` imports."""
    return [modules[name] for name in sorted(module.imports) if name in modules and name != module.name]


def broken_rules(module: Module, modules: dict[str, Module]) -> list[str]:
    """Each rule that ``module`` breaks, in words; none for a good one."""
    found: list[str] = []
    if module.kind == "adapter" and len(module.systems) > 1:
        found.append(f"an adapter of several systems: {', '.join(sorted(module.systems))}")
    if module.kind == "task" and module.systems - {"Prefect"}:
        found.append(f"a task module that reaches {', '.join(sorted(module.systems - {'Prefect'}))} without an adapter")
    for other in uses(module, modules):
        allowed: bool
        if module.is_config:
            allowed = other.kind == "pure" or other.is_config
        elif module.kind == "flow":
            allowed = other.kind in ("flow", "task", "pure") or other.is_config
        elif module.kind == "task":
            allowed = other.kind in ("adapter", "pure")
        elif module.kind == "adapter":
            allowed = other.kind == "pure" or (other.is_config and other.kind != "flow")
        else:
            allowed = other.kind == "pure"
        if not allowed:
            found.append(f"{module.kind} imports {other.kind} {other.name}")
    return found


def offences(found: Callable[[Module], Iterable[str]]) -> list[str]:
    """All that ``found`` finds in the modules of the house, each with the module's name before it."""
    return [f"{name}: {offence}" for name, module in sorted(house().items()) for offence in found(module)]


def test_imports_go_one_way() -> None:
    assert offences(lambda module: broken_rules(module, house())) == []


def test_every_kind_is_there() -> None:
    """A test that classified everything as pure would pass for nothing."""
    kinds = {name: module.kind for name, module in house().items()}
    assert kinds["flows.refresh"] == "flow"
    assert kinds["tasks.publishing.task"] == kinds["tasks.runtime.artifacts"] == "task"
    adapters = ("tasks.storage.lake", "tasks.index.store", "tasks.embedding.models.dense", "tasks.cluster.dask_client")
    assert {kinds[name] for name in (*adapters, "tasks.quality.suites", "tasks.runtime.stage", "configs.settings")} == {
        "adapter"
    }
    pure = (
        "tasks.records",
        "tasks.chunking.chunker",
        "tasks.retrieval.first_stage.exact_search",
        "tasks.storage.stage_cache",
        "tasks.embedding.corpus.corpus_cache",
        "configs.plans",
    )
    assert {kinds[name] for name in pure} == {"pure"}
    assert set(kinds.values()) == {"flow", "task", "adapter", "pure"}


@pytest.mark.parametrize(
    ("source", "kind", "rule"),
    [
        ("import numpy", "pure", None),
        ("from tasks.good import x", "pure", None),
        ("from tasks.storage.lake import Lake", "pure", "pure imports adapter tasks.storage.lake"),
        ("def f():\n    from tasks.storage.lake import Lake", "pure", "pure imports adapter tasks.storage.lake"),
        (
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tasks.storage.lake import Lake",
            "pure",
            None,
        ),
        ("from tasks.storage import lake", "pure", "pure imports adapter tasks.storage.lake"),
        ("import os\nx = os.environ['A']", "adapter", None),
        ("from os import environ", "adapter", None),
        ("import time", "adapter", None),
        ("from datetime import datetime\nx = datetime.now()", "adapter", None),
        ("from datetime import date\nx = date(2026, 1, 1)", "pure", None),
        ("from urllib.parse import quote", "pure", None),
        ("from urllib import request", "adapter", None),
        ("import fsspec\nimport torch", "adapter", "an adapter of several systems: file systems, torch"),
        ("import torch\nfrom tasks.storage.lake import Lake", "adapter", "adapter imports adapter tasks.storage.lake"),
        ("from tasks.runtime.stage import stage\nfrom tasks.storage.lake import Lake", "task", None),
        (
            "from tasks.runtime.stage import stage\nimport lancedb",
            "task",
            "a task module that reaches LanceDB without an adapter",
        ),
        (
            "from tasks.runtime.stage import stage\nimport tasks.other.task",
            "task",
            "task imports task tasks.other.task",
        ),
    ],
)
def test_the_reader_sees_each_kind_of_break(tmp_path: Path, source: str, kind: Kind, rule: str | None) -> None:
    files = {
        "tasks/good.py": "x = 1",
        "tasks/storage/lake.py": "import fsspec",
        "tasks/runtime/stage.py": "from prefect import task",
        "tasks/other/task.py": "from tasks.runtime.stage import stage",
        "tasks/mine.py": source,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    modules = {module.name: module for module in (read_module(tmp_path / name, tmp_path) for name in files)}
    assert modules["tasks.mine"].kind == kind
    assert broken_rules(modules["tasks.mine"], modules) == ([rule] if rule else [])


def alcove_of(name: str) -> str | None:
    """The alcove in which a module stands ("tasks.room.alcove"); None for a module of a room itself."""
    parts = name.split(".")
    return ".".join(parts[:3]) if parts[0] == "tasks" and len(parts) == 4 else None


def doors(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """The modules of each alcove that modules of other rooms import."""
    found: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        for other in uses(module, dict(modules)):
            alcove = alcove_of(other.name)
            if alcove and module.name.split(".")[:2] != alcove.split(".")[:2]:
                found[alcove].add(other.name.rpartition(".")[2])
    return found


def test_other_rooms_enter_an_alcove_by_the_doors_that_it_names() -> None:
    named = {
        name: set(ast.literal_eval(node.value))
        for name, module in house().items()
        if module.path.name == "__init__.py"
        for node in ast.parse(module.path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    }
    assert {name: sorted(modules) for name, modules in named.items()} == {
        name: sorted(modules) for name, modules in doors(house()).items()
    }


def test_modules_are_short() -> None:
    assert offences(too_long) == []


def too_long(module: Module) -> Iterator[str]:
    lines = len(module.path.read_text(encoding="utf-8").splitlines())
    if lines > MAX_LINES:
        yield f"{lines} lines"


def test_what_comes_from_disk_is_data_never_code() -> None:
    assert offences(runs_data) == []


def runs_data(module: Module) -> Iterator[str]:
    loaders = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
    yield from sorted(loaders & {imported_name.split(".")[0] for imported_name in module.imports})
    for node in ast.walk(ast.parse(module.path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called in ("torch.load", "eval", "exec", "yaml.unsafe_load"):
                yield called
            for word in node.keywords:
                is_off = isinstance(word.value, ast.Constant) and word.value.value is False
                if word.arg in ("trust_remote_code", "allow_pickle") and not is_off:
                    yield f"{called} with {word.arg}"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import pickle", ["pickle"]),
        ("import numpy as np\nnp.load('a', allow_pickle=True)", ["np.load with allow_pickle"]),
        ("import numpy as np\nnp.load('a', allow_pickle=False)", []),
        ("eval('1')", ["eval"]),
    ],
)
def test_the_reader_sees_data_that_is_run(tmp_path: Path, source: str, found: list[str]) -> None:
    path = tmp_path / "tasks" / "mine.py"
    path.parent.mkdir()
    path.write_text(source, encoding="utf-8")
    assert list(runs_data(read_module(path, tmp_path))) == found


MACHINE_PATH = re.compile(r"""["'\s=:](?:/(?:home|Users|root|work|mnt|opt|srv|data)/\w|/tmp\b|[A-Z]:\\\\)""")


def test_no_path_of_a_machine_is_in_the_source() -> None:
    paths = [path for part in HOUSE for suffix in ("py", "yaml") for path in (ROOT / part).rglob(f"*.{suffix}")]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line}"
        for path in sorted(paths)
        if "demo" not in path.parts
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if MACHINE_PATH.search(line)
    ]
    assert found == []


def test_no_test_is_imported() -> None:
    """What tests share is made in tests/made; fixtures come from a conftest.py without an import."""
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for name in sorted(imported_tests(imported(ast.parse(path.read_text(encoding="utf-8")))))
    ]
    assert found == []


def imported_tests(names: Iterable[str]) -> set[str]:
    """The test modules and conftest.py files among dotted names, or that these name something of."""
    return {found[0] for name in names if (found := re.match(r"tests(?:\.\w+)*?\.(?:test_\w+|conftest)\b", name))}


def test_the_reader_sees_imported_tests() -> None:
    source = "import tests.test_cli\nfrom tests.flows.test_gate import x\nfrom tests.tasks import conftest, made"
    assert imported_tests(imported(ast.parse(source))) == {
        "tests.test_cli",
        "tests.flows.test_gate",
        "tests.tasks.conftest",
    }


@pytest.mark.parametrize("part", ["room", "folder"])
def test_parts_import_each_other_one_way(part: str) -> None:
    """A circle of rooms or folders can only be read, moved or tested as a whole."""
    part_of = room if part == "room" else folder
    arrows: dict[str, set[str]] = defaultdict(set)
    imports: dict[tuple[str, str], list[str]] = defaultdict(list)
    for module in house().values():
        for other in uses(module, house()):
            here, there = part_of(module.name), part_of(other.name)
            if here != there:
                arrows[here].add(there)
                imports[here, there].append(f"{module.name} imports {other.name}")
    found = circles(arrows)
    assert [line for circle in found for pair in permutations(circle, 2) for line in imports.get(pair, ())] == []


def room(name: str) -> str:
    """The room of a module: a folder or module of ``tasks``, or all of ``flows`` or ``configs``."""
    parts = name.split(".")
    return ".".join(parts[:2]) if parts[0] == "tasks" else parts[0]


def folder(name: str) -> str:
    """The folder of a module."""
    return ".".join(house()[name].path.parent.relative_to(ROOT).parts)


def circles(arrows: Mapping[str, Set[str]]) -> list[list[str]]:
    """The groups of rooms that reach each other, by name."""
    reached = {one: reachable(one, arrows) for one in arrows}
    groups = {frozenset(other for other in reached[one] if one in reached.get(other, ())) for one in arrows}
    return sorted(sorted(group) for group in groups if group)


def reachable(start: str, arrows: Mapping[str, Set[str]]) -> set[str]:
    """All rooms at the end of arrows from ``start``, over any number of others; itself only over a circle."""
    found: set[str] = set()
    ahead = set(arrows.get(start, ()))
    while ahead:
        found |= ahead
        ahead = {after for one in ahead for after in arrows.get(one, ())} - found
    return found


@pytest.mark.parametrize(
    ("arrows", "found"),
    [
        ({"a": {"b"}, "b": {"c"}}, []),
        ({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}}, []),
        ({"a": {"b"}, "b": {"a", "c"}}, [["a", "b"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": {"f"}, "f": {"e"}}, [["a", "b", "c"], ["e", "f"]]),
    ],
    ids="line diamond pair several".split(),
)
def test_the_reader_sees_circles(arrows: dict[str, set[str]], found: list[list[str]]) -> None:
    assert circles(arrows) == found


def test_folders_are_small() -> None:
    counts = Counter(module.path.parent for module in house().values() if module.path.name != "__init__.py")
    assert [f"{path.relative_to(ROOT)}: {n} modules" for path, n in sorted(counts.items()) if n > MAX_MODULES] == []


def test_docstrings_begin_with_their_subject() -> None:
    assert offences(lambda module: poor_docstrings(ast.parse(module.path.read_text(encoding="utf-8")))) == []


def poor_docstrings(tree: ast.Module) -> Iterator[str]:
    """The module, and its public classes, functions and methods, that have no docstring or one that is a riddle."""
    for name, node in documented(tree):
        docstring = ast.get_docstring(node)
        if not docstring:
            yield f"{name} has no docstring"
        elif docstring.split(maxsplit=1)[0] in RIDDLES:
            yield f"{name}: {docstring.splitlines()[0]}"
        elif node is tree and docstring.splitlines()[0][-1] not in '.:?"':
            yield f"{name}: its first line breaks off: {docstring.splitlines()[0]}"


def documented(
    tree: ast.Module,
) -> Iterator[tuple[str, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]]:
    yield "the module", tree
    for node in tree.body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and not node.name.startswith("_"):
            yield node.name, node
            for inner in node.body if isinstance(node, ast.ClassDef) else ():
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('"""Parts."""\ndef cut() -> None:\n    """Cut."""', []),
        ('"""What is there."""', ["the module: What is there."]),
        ('"""Parts, which\nare cut."""', ["the module: its first line breaks off: Parts, which"]),
        ('"""Whatever."""\nclass _A: ...\ndef _b(): ...', []),
        ('"""Parts."""\nclass A:\n    """Part."""\n    def b(self): ...', ["A.b has no docstring"]),
        ('"""Parts."""\nasync def a():\n    """Whether it is."""', ["a: Whether it is."]),
    ],
    ids="good module broken private missing function".split(),
)
def test_the_reader_sees_poor_docstrings(source: str, found: list[str]) -> None:
    assert list(poor_docstrings(ast.parse(source))) == found
