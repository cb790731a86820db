"""What Explore says of a study: as much of it as may be seen, beside a pinned one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from momentdp_core import Study
from pages.views import pinned, predict
from pages.views.best import Best
from pages.views.explore import PointView, point_view
from pages.views.live import live_view
from pages.views.pinned import PinView
from pages.views.sweep import Curve, SweepView, sweep_view


@dataclass(frozen=True, kw_only=True, eq=False)
class Look:
    """A study, the swept value beyond which it is hidden, and the pinned study A.

    Args:
        whole: the study with all that is hidden.
        edge: the last swept value that may be seen; none if nothing is hidden.
        then: the study of A, if one is pinned.
        stood: the swept value at which A was pinned.
        best: the best possible, where it is asked for; it is not shown while something is hidden.
    """

    whole: Study
    edge: float | None = None
    then: Study | None = None
    stood: float = 0.0
    best: Best | None = None

    @cached_property
    def study(self) -> Study:
        """What may be seen of the study."""
        return self.whole if self.edge is None else predict.visible(self.whole, self.edge)

    def point(self, value: float) -> PointView:
        """Return what the page says at a swept value."""
        if self.edge is None:
            return point_view(self.whole, value, self.best)
        return predict.hidden_point(self.study, value)

    def difference(self, value: float) -> PinView | None:
        """Return what changed from A at a swept value; None where no A is pinned."""
        if self.then is None:
            return None
        view = pinned.pin_view(self.then, self.stood, self.whole, value)
        hidden = self.edge is not None and value > self.edge
        return pinned.without_outcome(view) if hidden else view

    def sweep(self, axis: str) -> SweepView:
        """Return what the charts draw of the study."""
        if self.edge is None:
            return sweep_view(self.whole, axis, self.best)
        return predict.hidden_sweep(self.study, axis)

    def ghosts(self, view: SweepView) -> tuple[Curve, ...]:
        """Return the curves of A that can be drawn beside a view of the study."""
        if self.then is None or not pinned.overlays(self.then, self.whole):
            return ()
        then = self.then if self.edge is None else predict.visible(self.then, self.edge)
        return pinned.ghost_curves(then, view.axis)

    def live(self, axis: str) -> Mapping[str, Any]:
        """Return all that the page says at every swept value."""

        def also(value: float) -> Mapping[str, str]:
            view = self.difference(value)
            return {} if view is None else pinned.texts(view)

        return live_view(self.whole, axis, self.point, also)
