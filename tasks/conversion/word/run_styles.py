"""Styles of a Word file: run properties, resolved through the styles where a run does not state them itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tasks.conversion.word.markup import W, is_on, value_of

_MAX_CHAIN = 20


class RunStyles:
    """The styles under ``root``, the root of the part that holds them; None for no such part."""

    def __init__(self, root: Any) -> None:
        styles = [] if root is None else list(root.iter(W + "style"))
        self.by_id = {style.get(W + "styleId"): style for style in styles}
        self._default_ids = {
            style.get(W + "type"): style.get(W + "styleId")
            for style in styles
            if style.get(W + "default") in ("1", "true", "on")
        }
        self._defaults = None if root is None else root.find(f"{W}docDefaults/{W}rPrDefault")
        self._known: dict[tuple[str | None, str], Any] = {}

    def chain(self, style_id: str | None) -> Iterator[Any]:
        """Yield the style and those that it is based on, the nearest first. A chain may lead in a circle."""
        for _ in range(_MAX_CHAIN):
            style = self.by_id.get(style_id)
            if style is None:
                return
            yield style
            style_id = value_of(style, "basedOn")

    def of_paragraph(self, paragraph: Any) -> str | None:
        """The id of the paragraph's style; None where neither it nor a default is stated."""
        stated = None if paragraph is None else value_of(paragraph, "pPr/pStyle")
        return self._default_ids.get("paragraph") if stated is None else stated

    def is_on(self, run: Any, name: str) -> bool:
        """Tell if a property that is on or off, such as ``vanish``, is on for ``run``.

        Where the run leaves it to its styles, two that both switch it on switch it off: Word takes each for a switch.
        """
        own = _stated(run, name)
        if own is not None:
            return is_on(own)
        said = [stated for stated in self._of_styles(run, name) if stated is not None]
        return sum(map(is_on, said)) % 2 == 1 if said else is_on(_stated(self._defaults, name))

    def value(self, run: Any, name: str) -> str:
        """The value of a property such as ``vertAlign`` for ``run``: its own, else the nearest in its styles; "" for
        none.
        """
        found = (_stated(run, name), *self._of_styles(run, name), _stated(self._defaults, name))
        return next((str(stated.get(W + "val", "")) for stated in found if stated is not None), "")

    def _of_styles(self, run: Any, name: str) -> Iterator[Any]:
        """Yield the property's element of the run's style and of its paragraph's style; None where it is not stated."""
        own = value_of(run, "rPr/rStyle")
        yield self._of_style(self._default_ids.get("character") if own is None else own, name)
        yield self._of_style(self.of_paragraph(next(run.iterancestors(W + "p"), None)), name)

    def _of_style(self, style_id: str | None, name: str) -> Any:
        if (style_id, name) not in self._known:
            stated = (_stated(style, name) for style in self.chain(style_id))
            self._known[style_id, name] = next((one for one in stated if one is not None), None)
        return self._known[style_id, name]


def _stated(element: Any, name: str) -> Any:
    return None if element is None else element.find(f"{W}rPr/{W}{name}")
