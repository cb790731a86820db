"""The figures of the claims: one for each, and the numbers in them are the result's."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from momentdp_core.experiments.claims import CLAIMS
from momentdp_core.experiments.shipped import shipped_results
from pages.figures import evidence as figures
from pages.figures import parts
from pages.figures.style import MARKS
from pages.ui.studies import gaps_of_record
from pages.views.claim_charts import charts_of
from pages.views.claim_parts import Chart, Comparison, Curves, Tiles
from pages.views.evidence import Row, row_of

RESULTS = shipped_results()
REGISTRY = "M24"  # has the figure of the page Registry
FIGURES = [claim for claim in CLAIMS if claim != REGISTRY]
# Their figures hold ratios, counts, ranks or cells of the result, held against it below.
DERIVED = ("M4", "M5", "M6", "M7", "M21", "P4")
# What "exact", "constant from the first step" and "machine precision" are as numbers, and the
# half-width of a 95 % interval in standard errors.
EXACT = (0.0, 1.0, 2.0**-52, 1.959964)


def row_and_record(claim: str) -> tuple[Row, Any]:
    """A claim's row and the record of its study, as shipped."""
    row = row_of(RESULTS.claims[claim])
    return row, RESULTS.records[row.study]


def charts(claim: str) -> tuple[Chart, ...]:
    """The figures of a claim."""
    return charts_of(*row_and_record(claim))


def drawn(view: Chart) -> dict[str, list[float]]:
    """What a figure draws, as sent to the browser: the values of each trace, and its intervals."""
    found: dict[str, list[float]] = {}
    if isinstance(view, Tiles):
        return found
    for trace in json.loads(parts.to_json(figures.claim_figure(view)))["data"]:
        flat = trace.get("orientation") == "h"
        found[trace["name"]] = trace["x" if flat else "y"]
        bars = trace.get("error_x" if flat else "error_y", {})
        if bars.get("visible", True) and bars.get("array"):
            found[f"{trace['name']}, half"] = bars["array"]
    return found


def numbers_in(value: Any) -> Iterator[float]:
    """Yield every number of a record, however deep it lies."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from numbers_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from numbers_in(inner)
    elif isinstance(value, int | float):
        yield float(value)


def result_of(claim: str) -> np.ndarray:
    """All numbers that a claim's result holds, published and ours."""
    row, record = row_and_record(claim)
    entry = record["numbers"][claim] if "numbers" in record else record
    ours = np.array([*numbers_in(entry), *row.our_values])
    return np.array([*ours, *100 * ours, *row.published_values, *EXACT])


def is_of(values: list[float], result: np.ndarray) -> bool:
    """Whether each value, or its negative, is one of the result's to rounding."""
    off = np.abs(np.abs(np.array(values))[:, None] - np.abs(result)[None])
    return bool((off.min(axis=1) <= 1e-9 * np.abs(values)).all())


@pytest.mark.parametrize("claim", FIGURES)
def test_every_claim_has_a_figure(claim):
    """At least one, with a title, words for who cannot see it, and both sides where there are."""
    views = charts(claim)
    assert views
    assert len({view.title for view in views}) == len(views)
    for view in views:
        assert view.title
        assert len(view.alt) > 40
        assert figures.height(view) >= 250
        assert set(figures.compact(view)) >= {"margin", "font"}
    names = [name for view in views for name in drawn(view)]
    if claim not in ("M3", "M6", "M33"):  # the paper has no figure for them
        assert any("published" in name or "β" in name for name in names)


def test_the_blind_cases_have_the_figure_of_the_registry():
    """Twenty-four simulated gaps with intervals, each one of the record."""
    _, record = row_and_record(REGISTRY)
    assert charts(REGISTRY) == ()
    lines = gaps_of_record(record["primary"]).lines
    gaps = [gap for case in record["primary"]["cases"] for gap in case["gaps"]]
    assert len(lines) == len(gaps) == 24
    for line, gap in zip(lines, gaps, strict=True):
        share = gap["half_width"] / gap["gap"]
        assert (line.high - line.ratio) / line.ratio == pytest.approx(share)


@pytest.mark.parametrize("claim", [claim for claim in FIGURES if claim not in DERIVED])
def test_what_is_drawn_is_the_result(claim):
    """Every value and half-width in a figure stands in the claim's own result."""
    result = result_of(claim)
    for view in charts(claim):
        for name, values in drawn(view).items():
            if "half" in name:
                assert half_is_of(values, result), name
            else:
                assert is_of(values, result), name


def half_is_of(values: list[float], result: np.ndarray) -> bool:
    """Whether half-widths are the result's, twice an error, or half an interval's width."""
    spans = np.abs(result[:, None] - result[None, :]).ravel()
    return is_of(values, np.concatenate([result, 2 * result, spans, spans / 2]))


def test_a_changed_result_changes_the_figure():
    """The check can fail: a figure of other numbers is told from the result."""
    row, record = row_and_record("M23")
    other = {**record, "largest_gap": [2.5 * x + 1e-9 for x in record["largest_gap"]]}
    (view,) = charts_of(row, other)
    assert not is_of(drawn(view)["ours"], result_of("M23"))


@pytest.mark.parametrize("claim", ["M4", "M5"])
def test_the_winners_figures_follow_from_the_damages(claim):
    """Ratios to the least damage at each momentum; what the paper names lies on 1."""
    _, record = row_and_record(claim)
    damage = np.array(record["damage"])
    over = damage / damage.min(axis=1, keepdims=True)
    blind = over[:, record["mechanisms"].index("noisecurve")]
    if claim == "M4":
        found = drawn(charts(claim)[0])
        np.testing.assert_allclose(found["NoiseCurve"], blind)
        np.testing.assert_allclose(found["published winner"], 1.0)
        others = np.delete(
            over, [record["mechanisms"].index(k) for k in ("noisecurve", "dense")], 1
        )
        np.testing.assert_allclose(found["best of the other nine"], others.min(axis=1))
        return
    flags, losses = map(drawn, charts(claim))
    assert flags["ours, NoiseCurve's score"] == flags["published, NoiseCurve's score"]
    assert flags["ours, NoiseCurve's score"] == [1, 0, 0, 0, 0]
    assert flags["ours, optimizer-aware"] == flags["published, optimizer-aware"] == [1] * 5
    np.testing.assert_allclose(losses["NoiseCurve's score"], 100 * (blind - 1), atol=1e-12)
    np.testing.assert_allclose(losses["optimizer-aware"], 0, atol=1e-12)


def test_the_slices_figures_follow_from_the_winners():
    """Cells are the record's winners; counts are of mechanisms whose rank is not constant."""
    _, record = row_and_record("M6")
    (tiles,) = charts("M6")
    assert isinstance(tiles, Tiles)
    assert [list(keys) for keys in tiles.keys] == [s["winners"] for s in record["slices"]]
    marked = [row.startswith("↔") for row in tiles.rows]
    assert marked == [len(set(s["winners"])) > 1 for s in record["slices"]]
    assert sum(marked) == 14
    (trace, *legend) = json.loads(parts.to_json(figures.claim_figure(tiles)))["data"]
    kinds = trace["meta"]["kinds"]
    shown = [[kinds[int(z)] for z in line] for line in trace["z"]]
    assert shown == [list(names) for names in tiles.names]
    assert [entry["name"].split(" ", 1)[1] for entry in legend] == kinds
    assert trace["text"][0][0] == MARKS[tiles.keys[0][0]].glyph
    found = drawn(charts("M7")[0])
    changing = [s for s, mark in zip(record["slices"], marked, strict=True) if mark]
    spread = [np.ptp(np.array(s["rankings"]), axis=0) for s in changing]
    assert found["by damage"] == [int((ranks > 0).sum()) for ranks in spread]
    assert found["ours, by the LR-aware score"] == [0] * 14


def test_the_solvers_figure_follows_from_the_objectives():
    """Relative differences in per cent; the published ones stand at the longest horizon."""
    row, record = row_and_record("M21")
    between, above = map(drawn, charts("M21"))
    cases = record["cases"]
    expected = [100 * abs(c["adam"] - c["lbfgs"]) / c["lbfgs"] for c in cases]
    np.testing.assert_allclose(between["ours"], expected, rtol=1e-6, atol=1e-12)
    published = between["published (0.01: at most that)"]
    assert published == [0.01] * 4 + list(row.published_values[1:])
    for name, key in (("Adam", "adam"), ("L-BFGS-B", "lbfgs"), ("our solver", "ours")):
        shares = [100 * (c[key] - c["lower_bound"]) / c["lower_bound"] for c in cases]
        np.testing.assert_allclose(above[name], shares, rtol=1e-6, atol=1e-9)
        assert min(above[name]) > -1e-6


def test_the_order_figure_follows_from_the_losses():
    """Ranks count how many methods are better, by published accuracy and by our mean loss."""
    _, record = row_and_record("P4")
    entry = record["numbers"]["P4"]
    ranks, losses = map(drawn, charts("P4"))
    view = charts("P4")[0]
    assert isinstance(view, Comparison)
    keys = {name: key for key, name in entry["settings"]["labels"].items()}
    places = [text.split(", ε ") for text in view.categories]
    for n, (name, eps) in enumerate(places):
        key, ours = keys[name], entry["ours"][eps]
        accuracy = entry["published"][eps]["accuracy"]
        assert ranks["published"][n] == 1 + sum(x > accuracy[key] for x in accuracy.values())
        for title, which in (("each at its best rate", "tuned"), ("all at DPSGD's rate", "common")):
            mean = ours[which]["mean"]
            assert ranks[f"ours, {title}"][n] == 1 + sum(x < mean[key] for x in mean.values())
        tuned = ours["tuned"]
        assert losses["ours, 95 % interval"][n] == tuned["over_dpsgd"][key]
        half = losses["ours, 95 % interval, half"][n]
        assert half == pytest.approx(tuned["over_dpsgd_half_width"][key], abs=1e-15)


def test_nothing_drawn_lies_off_its_axis():
    """No zero on a logarithmic axis, no point outside a range that is set."""
    for claim in FIGURES:
        for view in charts(claim):
            values = [x for some in drawn(view).values() for x in some if x is not None]
            log = (
                view.y_log
                if isinstance(view, Curves)
                else isinstance(view, Comparison) and view.log
            )
            if log:
                assert min(values) > 0, (claim, view.title)
            layout = json.loads(parts.to_json(figures.claim_figure(view)))["layout"]
            if isinstance(view, Comparison) and not view.log:
                low, high = sorted(layout["xaxis" if view.flat else "yaxis"]["range"])
                points = [x for side in view.sides for x in (*side.values, *side.low, *side.high)]
                assert low < min(points)
                assert max(points) < high
