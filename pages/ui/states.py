"""A state of the study as one text, so that a link can hold another state beside its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from momentdp_core import SCHEDULES, Scenario
from pages.ui import controls, url_state, widgets
from pages.ui.url_state import LOOKS, PARAMETERS, SWEPT_LINKS, optimizer_links
from pages.views.swept import SWEPT, SweptParameter

STUDY: Final = tuple(name for name in PARAMETERS if name not in LOOKS)
_ALWAYS: Final = frozenset(
    {"opt", "schedule", "spectrum", "rate", "T", "b", "eps", "delta", "mech", "parts", "own"}
)


class State:
    """The values of all controls of a study: `values` by link parameter, defaults left out."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = dict(values)

    def __getitem__(self, name: str) -> Any:
        return self.values.get(name, PARAMETERS[name].default)

    @property
    def counted(self) -> frozenset[str]:
        """The parameters that this state depends on: the others are not drawn and not read."""
        names = _ALWAYS | optimizer_links(self["opt"])
        if "design" in names and self["design"] != "butterworth":
            names -= {"order"}
        family = self["schedule"]
        used = SCHEDULES[family].parameters
        chosen = {"chi"} if family == "custom" else set(map(controls.SCHEDULE_NAMES.get, used))
        surface = {"custom": {"lam"}, "isotropic": {"d"}}.get(self["spectrum"], {"kappa", "d"})
        apart = {"apart"} if self["parts"] > 1 else set()
        return frozenset({*names, *surface, *apart, *(name for name in chosen if name)})

    @property
    def text(self) -> str:
        """The state as in a link, without what is default or does not count; "T=128" at least.

        >>> State({"kappa": 10, "chi": "1, 1"}).text
        'kappa=10'
        """
        pairs = {
            name: url_state.text(name, self[name])
            for name in STUDY
            if name in self.counted and self[name] != PARAMETERS[name].default
        }
        return urlencode(pairs or {"T": self["T"]})

    @property
    def swept(self) -> SweptParameter:
        """What the optimizer of this state sweeps."""
        return SWEPT[self["opt"]]

    @property
    def at(self) -> float:
        """The swept value at which this state stands."""
        name = SWEPT_LINKS[self.swept.key]
        return url_state.snap(name, self[name])

    @property
    def scenario(self) -> Scenario:
        """The scenario of this state.

        Raises:
            InputError: a list that cannot be used, or no mechanism.
        """
        return controls.scenario(read=self.__getitem__)


def opened(text: str) -> State:
    """Return the state of a text that the link parameter of a state accepts.

    >>> opened("kappa=10&mech=iid").values
    {'kappa': 10, 'mech': ['iid']}
    """
    return State({name: url_state.value(name, given) for name, given in parse_qsl(text)})


def current() -> State:
    """Return the state that the controls are in."""
    return State({name: widgets.value(name) for name in STUDY})
