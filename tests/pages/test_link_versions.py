"""Links of older versions: they open the same numbers, or the page says what changed."""

from __future__ import annotations

import pytest

from momentdp_core import Curvature, Scenario, Schedule
from pages.ui import link_versions
from pages.ui.link_versions import MIGRATIONS, Migration, upgraded
from pages.ui.url_state import PARAMETERS, VERSION
from tests.pages.driver import SMALL, link_of, opened, says

# Invented: version 0 called momentum m and the schedule s, had κ = 10 by default, and a control
# "warm" that is no more; version −1 had called m by still another name.
OLD = {
    "-1": Migration(renamed={"moment": "m"}),
    "0": Migration(
        renamed={"m": "mu", "s": "schedule"},
        defaults={"kappa": "10"},
        gone={"warm": "Starting from a warm buffer is no longer offered."},
    ),
}


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """The invented older versions are known."""
    monkeypatch.setattr(link_versions, "MIGRATIONS", {**MIGRATIONS, **OLD})


def test_every_version_leads_to_todays() -> None:
    """The table has no gap: each version before today's is in it, and its names are today's."""
    assert sorted(map(int, MIGRATIONS)) == list(range(1, int(VERSION)))
    for migration in MIGRATIONS.values():
        assert {*migration.renamed.values(), *migration.defaults} <= set(PARAMETERS)


@pytest.mark.usefixtures("old")
def test_an_old_link_opens_the_same_numbers() -> None:
    """New names, the old default, and the new version in the address; nothing to say."""
    app = opened(**SMALL, v="0", m="0.5", s="cosine")
    scenario = Scenario(
        horizon=16,
        bands=4,
        curvature=Curvature(condition_number=10),
        schedule=Schedule(family="cosine"),
    )
    assert says(app, scenario, 0.5)
    assert not app.info
    assert not app.warning
    expected = {**SMALL, "v": VERSION, "mu": "0.5", "schedule": "cosine", "kappa": "10"}
    assert link_of(app) == expected


@pytest.mark.usefixtures("old")
def test_what_cannot_be_kept_is_said() -> None:
    """The page tells what changed, and what a link itself got wrong apart from it."""
    app = opened(**SMALL, v="0", warm="yes", m="two")
    (info,) = app.info
    assert "Starting from a warm buffer is no longer offered." in info.value
    (warning,) = app.warning
    assert "mu: expected" in warning.value
    assert "warm" not in warning.value


@pytest.mark.usefixtures("old")
def test_versions_are_gone_through_one_by_one() -> None:
    """A link of two versions ago takes both steps; its own value wins over an old default."""
    found, changed = upgraded({"v": ["-1"], "moment": ["0.3"], "kappa": ["50"]})
    assert found == {"v": [VERSION], "mu": ["0.3"], "kappa": ["50"]}
    assert changed == ()


@pytest.mark.parametrize("texts", [["2"], ["x"], ["1", "0"], [""]], ids="-".join)
@pytest.mark.usefixtures("old")
def test_an_unknown_version_is_left_alone_and_said(texts: list[str]) -> None:
    """No step is known from there: the link is read as it is, and the page names the version."""
    query = {"v": texts, "mu": ["0.3"]}
    assert upgraded(query) == (query, ())
    if len(texts) == 1:
        app = opened(**SMALL, v=texts[0], mu="0.3")
        (warning,) = app.warning
        assert f"version {VERSION}" in warning.value
