"""A link opens every control where it says, and the page gives the same link back."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from pages.ui.url_state import PARAMETERS, SWEPT_LINKS, VERSION, VERSION_NAME, text

pytestmark = pytest.mark.browser

SMALL = {"T": "16", "d": "4", "b": "4"}
# Pages and what their links say; no value is a default, so each must be in the address.
LINKS: dict[str, tuple[str, dict[str, str]]] = {
    "explore": (
        "",
        {
            **{"mu": "0.4", "schedule": "step", "factor": "0.2", "stages": "4", "rate": "0.4"},
            **{"spectrum": "two_cluster", "kappa": "20", "eps": "2", "delta": "1e-6"},
            **{"parts": "2", "apart": "4", "mech": "dense,noisecurve", "axis": "steps"},
            **{"pin": "kappa=10&T=16", "best": "yes"},
        },
    ),
    "lists": (
        "",
        {"T": "2", "schedule": "custom", "chi": "1, 0.5", "spectrum": "custom", "lam": "1, 0.5"},
    ),
    "hidden": ("", {"predict": "hidden", "edge": "0.2", "guess": "0.3", "never": "yes"}),
    "tour": ("", {"tour": "3"}),
    "talk": ("", {"talk": "dark"}),
    "warm-up": ("", {"schedule": "warmup_cosine", "warmup": "0.2"}),
    "exponential": ("", {"schedule": "exponential", "final": "0.1"}),
    "front": ("", {"schedule": "front_loaded", "front": "0.2"}),
    "back": ("", {"schedule": "back_loaded", "back": "0.2"}),
    "average": ("", {"opt": "tail_average", "mu": "0.2", "tail": "0.5"}),
    "decay": ("", {"opt": "weight_decay", "wd": "0.03"}),
    "ema": ("", {"opt": "ema", "beta": "0.5", "corr": "yes"}),
    "weights": ("", {"opt": "weight_average", "alpha": "0.5"}),
    "low pass": (
        "",
        {"opt": "lp_dpsgd", "design": "butterworth", "order": "3", "cutoff": "0.2", "norm": "no"},
    ),
    "filter": ("", {"opt": "filter", "fa": "-0.8", "fb": "0.2"}),
    "window": ("", {"opt": "inner_outer", "k": "6", "beta": "0.3"}),
    "disk": ("", {"opt": "disk", "gain": "0.3"}),
    "why": ("why", {"a": "iid", "vs": "dense", "mode": "2", "seed": "7", "step": "2"}),
    "map": ("map", {"mx": "rate", "my": "condition", "by": "gap", "ma": "iid", "mb": "bisr"}),
    "map, fixed": ("map", {"by": "regret", "fix": "iid"}),
    "optimizers": (
        "optimizers",
        {"opts": "dpsgd,ema", "under": "dense", "at": "total", "e0": "3", "noise": "1"},
    ),
    "mechanisms": ("mechanisms", {"about": "bisr"}),
    "design": (
        "design",
        {
            **{"dval": "range", "dlo": "0.7", "dhi": "0.9", "dk": "2", "dr": "0.5"},
            **{"dform": "banded", "aim": "worst", "rel": "no", "dway": "1"},
        },
    ),
    "evidence": (
        "evidence",
        {"claim": "M1", "paper": "moment", "verdict": "reproduced", "kind": "exact"},
    ),
    "logistic": (
        "logistic",
        {
            **{"lr": "0.2", "leps": "2", "reps": "10", "solver": "solved", "cond": "L2"},
            "base": "dense",
        },
    ),
}


def said(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query))


def test_every_control_is_in_a_link() -> None:
    """The links of this file name each parameter, with a value that is not its default."""
    named = {name: given for _, query in LINKS.values() for name, given in query.items()}
    named |= SMALL
    # What was uploaded is in no link: `test_own` holds that the page says so.
    assert set(PARAMETERS) - set(named) == {"own"}
    for name, given in named.items():
        assert PARAMETERS[name].accepts([given]), name
        assert text(name, PARAMETERS[name].default) != given, name
    assert set(SWEPT_LINKS.values()) <= set(named)


@pytest.mark.parametrize("name", LINKS)
def test_a_link_comes_back(page: Any, name: str) -> None:
    """Once the page is drawn, its address still says everything, and nothing is complained of."""
    path, query = LINKS[name]
    wanted = {**SMALL, **query}
    page.goto(f"/{path}?{urlencode(wanted)}")
    page.wait_for_url(lambda address: VERSION_NAME in said(address))
    page.wait_for_selector("[data-test-script-state=notRunning]")
    assert said(page.url) == {**wanted, VERSION_NAME: VERSION}
    # The page may say that a setting is unstable; of the link it says nothing.
    assert "Ignored" not in page.locator("body").inner_text()
