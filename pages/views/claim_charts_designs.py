"""The figures of M20 to M23: the designs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pages.views import words
from pages.views.claim_parts import Chart, Comparison, Curve, Curves, Side, both, flat_curve
from pages.views.evidence import Row

Record = Mapping[str, Any]
DOUBLE: Final = 2.0**-52  # rounding of a number near 1


def _limit(row: Row, record: Record) -> tuple[Chart, ...]:
    horizons = tuple(map(float, record["horizons"]))
    lines = (
        ("C to the square root", "to_sqrt"), ("C to the binomials", "to_binomials"),
        ("C² to the prefix sum", "to_workload"),
    )  # fmt: skip
    return (
        Curves(
            title="Largest difference of LR-aware at a constant rate to the square root",
            curves=(
                *(Curve(name=name, x=horizons, y=tuple(record[key])) for name, key in lines),
                flat_curve("published: machine precision, 2⁻⁵²", horizons, DOUBLE),
            ),
            x_axis="horizon T (log scale)",
            y_axis="absolute difference",
            x_log=True,
            ticks=horizons,
            alt=both(row),
        ),
    )


def _sizes(record: Record) -> tuple[str, ...]:
    return tuple(f"T = {c['horizon']}, b = {c['bands']}" for c in record["cases"])


def _solvers(row: Row, record: Record) -> tuple[Chart, ...]:
    cases = record["cases"]
    longest = max(c["horizon"] for c in cases)
    # The four shorter ones are printed as "within 0.01 %" only.
    rest = iter(row.published_values[1:])
    published = tuple(next(rest) if c["horizon"] == longest else 0.01 for c in cases)
    return (
        Comparison(
            title="Adam against L-BFGS-B, published and ours",
            categories=_sizes(record),
            sides=(
                Side(name="published (0.01: at most that)", values=published),
                Side(
                    name="ours",
                    values=tuple(100 * abs(c["adam"] / c["lbfgs"] - 1) for c in cases),
                ),
            ),
            axis="difference of the objectives, %",
            flat=True,
            alt=both(row),
        ),
        Comparison(
            title="Objective above the bound below which no banded solution lies, ours",
            categories=_sizes(record),
            sides=tuple(
                Side(
                    name=name,
                    values=tuple(100 * (c[key] / c["lower_bound"] - 1) for c in cases),
                )
                for name, key in (("Adam", "adam"), ("L-BFGS-B", "lbfgs"), ("our solver", "ours"))
            ),
            axis="above the lower bound, %",
            flat=True,
            alt="Objective of Adam, L-BFGS-B and our solver above the lower bound in six cases.",
        ),
    )


def _recovery(row: Row, record: Record) -> tuple[Chart, ...]:
    residuals = tuple(c["residual"] for c in record["cases"])
    return (
        Comparison(
            title="Residual of CᵀC = X, the largest of three solutions",
            categories=_sizes(record),
            sides=(
                Side(name="published: about", values=row.published_values * len(residuals)),
                Side(name="ours", values=residuals),
            ),
            axis="relative residual",
            flat=True,
            alt=both(row),
        ),
    )


def _sensitivity(row: Row, record: Record) -> tuple[Chart, ...]:
    gaps = tuple(record["largest_gap"])
    return (
        Comparison(
            title="Distance of the largest column norm from 1, the worst of all designs",
            categories=tuple(words.name(key) for key in record["mechanisms"]),
            sides=(
                Side(name="published: exactly 1", values=(0.0,) * len(gaps)),
                Side(name="ours", values=gaps),
            ),
            axis="distance from 1",
            flat=True,
            alt=both(row),
        ),
    )


CHARTS: Final[Mapping[str, Callable[[Row, Record], tuple[Chart, ...]]]] = MappingProxyType(
    {"M20": _limit, "M21": _solvers, "M22": _recovery, "M23": _sensitivity}
)
