"""The axes of a map: the limit of stability on them, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from momentdp_core import Curvature, InputError, MapAxis, damage_map
from momentdp_core.axes import limit_lines
from tests.test_atlas import AXES, SMALL


@pytest.mark.parametrize(
    ("across", "up", "line"),
    [("value", "rate", "curve"), ("rate", "condition", "straight"), ("schedule", "rate", "ticks")],
)
def test_the_limit_of_stability_parts_stable_from_unstable_cells(across, up, line):
    """Just below the line a setting is stable and just above it is not."""
    x, y = AXES[across], AXES[up]
    lines = limit_lines(SMALL, 0.6, x, y)
    assert len(lines) == (len(AXES["schedule"]) if line == "ticks" else 1)
    rate = 0 if x.name == "rate" else 1
    for points in lines:
        for point in points[:: max(1, len(points) // 7)]:
            for shift, stable in ((-1e-3, True), (1e-3, False)):
                at = point.copy()
                at[rate] += shift
                if x.name == "schedule":
                    at[0] = np.floor(at[0] + 0.5 - 1e-9).clip(0)
                scenario, value = SMALL, 0.6
                if x.name == "value":
                    value = float(x.at(at[:1])[0])
                eta = float((x if rate == 0 else y).at(at[rate : rate + 1])[0])
                assert (eta < 2 * (1 + value)) == stable, (scenario, at)


def test_a_value_at_which_training_turns_unstable_is_a_line_too():
    """At ηλmax = 3 heavy ball is stable from μ = 0.5 on."""
    x, y = AXES["value"], AXES["condition"]
    (line,) = limit_lines(replace(SMALL, learning_rate=3.0), 0.0, x, y)
    np.testing.assert_allclose(x.at(line[:, 0]), 0.5, atol=1e-6)
    assert line[:, 1].tolist() == [0.0, len(y) - 1.0]


@pytest.mark.parametrize(
    ("x", "y", "scenario", "argument"),
    [
        pytest.param("value", "value", SMALL, "axis", id="twice-the-same"),
        pytest.param(
            "value",
            "condition",
            replace(SMALL, curvature=Curvature(family="isotropic")),
            "axis",
            id="no-condition-number",
        ),
        pytest.param(
            "value", "rate", replace(SMALL, mechanisms=("noisecurve",)), "mechanisms", id="alone"
        ),
    ],
)
def test_axes_that_cannot_be_varied_are_refused(x, y, scenario, argument):
    """Equal axes, a spectrum without a condition number, and a single redesigned mechanism."""
    with pytest.raises(InputError) as caught:
        damage_map(scenario, 0.0, AXES[x], AXES[y])
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("name", "points"),
    [
        pytest.param("rate", (0.0, 1.0), id="zero-on-a-log-axis"),
        pytest.param("value", (0.5, 0.1), id="descending"),
        pytest.param("value", (0.5,), id="one-point"),
        pytest.param("colour", (0.0, 1.0), id="unknown"),
    ],
)
def test_axes_check_their_points(name, points):
    """An axis has a known name and two or more ascending points."""
    with pytest.raises(InputError):
        MapAxis(name=name, points=points)
