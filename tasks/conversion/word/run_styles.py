"""Run properties of a Word file, resolved through its styles where a run does not state them itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_OFF = ("0", "false", "off")
_MAX_CHAIN = 20


class RunStyles:
    """The run properties of the styles under ``root``, the root of the part that holds them; None for no such part."""

    def __init__(self, root: Any) -> None:
        styles = [] if root is None else list(root.iter(_W + "style"))
        self._by_id = {style.get(_W + "styleId"): style for style in styles}
        self._default_ids = {
            style.get(_W + "type"): style.get(_W + "styleId") for style in styles if _is_on(style, "default")
        }
        self._defaults = None if root is None else root.find(f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr")
        self._known: dict[tuple[str | None, str], Any] = {}

    def is_on(self, run: Any, name: str) -> bool:
        """Tell if a property that is on or off, such as ``vanish``, is on for ``run``.

        Where the run leaves it to its styles, two that both switch it on switch it off: Word takes each for a switch.
        """
        own = _stated(run.find(_W + "rPr"), name)
        if own is not None:
            return _is_on(own)
        said = [stated for stated in self._of_styles(run, name) if stated is not None]
        if said:
            return sum(map(_is_on, said)) % 2 == 1
        default = _stated(self._defaults, name)
        return default is not None and _is_on(default)

    def value(self, run: Any, name: str) -> str:
        """The value of a property such as ``vertAlign`` for ``run``: its own, else the nearest in its styles; "" for
        none.
        """
        found = (
            _stated(run.find(_W + "rPr"), name),
            *self._of_styles(run, name),
            _stated(self._defaults, name),
        )
        return next((str(stated.get(_W + "val", "")) for stated in found if stated is not None), "")

    def _of_styles(self, run: Any, name: str) -> Iterator[Any]:
        """Yield the property element of the run's own style and of its paragraph's style; None where one does not state
        it.
        """
        paragraph = next(run.iterancestors(_W + "p"), None)
        for kind, style in (
            ("character", run.find(f"{_W}rPr/{_W}rStyle")),
            ("paragraph", None if paragraph is None else paragraph.find(f"{_W}pPr/{_W}pStyle")),
        ):
            yield self._of_style(self._default_ids.get(kind) if style is None else style.get(_W + "val"), name)

    def _of_style(self, style_id: str | None, name: str) -> Any:
        """The property element of the style, or of the nearest style that it is based on. A chain may lead in a
        circle.
        """
        if (style_id, name) not in self._known:
            style, stated = self._by_id.get(style_id), None
            for _ in range(_MAX_CHAIN):
                if style is None or stated is not None:
                    break
                stated = _stated(style.find(_W + "rPr"), name)
                base = style.find(_W + "basedOn")
                style = None if base is None else self._by_id.get(base.get(_W + "val"))
            self._known[style_id, name] = stated
        return self._known[style_id, name]


def _stated(properties: Any, name: str) -> Any:
    return None if properties is None else properties.find(_W + name)


def _is_on(element: Any, attribute: str = "val") -> bool:
    """Tell if the attribute is on: a property without a value is on, a style without a default attribute is no
    default.
    """
    return element.get(_W + attribute, "1" if attribute == "val" else "0") not in _OFF
