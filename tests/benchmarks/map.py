"""Time to the first and to the finished crossover map: python -m tests.benchmarks.map

The engine on one core, for each pair of axes with 41 cells a side, in wall and in processor
seconds; then the page in a real browser, from the request to the first and to the finished map,
beside the Explore page in the same run.
"""

from __future__ import annotations

import time
from typing import Any

from tests.benchmarks._timing import one_core

with one_core():
    import numpy as np
    import scipy.optimize.elementwise  # noqa: F401  (its import is not what is timed)

    from momentdp_core import Curvature, MapAxis, Scenario, map_stages
    from momentdp_core.lattice import second_design
    from pages.views.map_axes import axis_for
    from tests.browser.conftest import running_app, running_browser

PAIRS = (
    ("value", "rate"),
    ("value", "condition"),
    ("value", "schedule"),
    ("rate", "condition"),
)
DRAWN = "document.querySelector('.live-chart[data-state=drawn]')"
FINISHED = (
    f"{DRAWN} && document.querySelector('.st-key-map-progress [data-testid=stCaptionContainer]')"
)


def stages(scenario: Scenario, x: MapAxis, y: MapAxis) -> list[tuple[float, float]]:
    """Return wall and processor seconds to the first, the last judged, and the finished map."""
    second_design.cache_clear()
    begin = time.perf_counter(), time.process_time()
    times = []
    for picture in map_stages(scenario, 0.9, x, y):
        assert np.isfinite(picture.damage[0][picture.stable]).all()
        times.append((time.perf_counter() - begin[0], time.process_time() - begin[1]))
    return [times[0], times[-2], times[-1]]


def engine() -> None:
    """Time the stages of each pair of axes, with the fixed designs already there."""
    scenario = Scenario(curvature=Curvature(condition_number=10))
    for key in scenario.mechanisms:
        _ = scenario.design(key).covariance
    print("engine, 41 × 41 cells, 11 mechanisms, T = 128: wall (processor) seconds")
    print(f"{'axes':20}  {'first':>14}  {'all judged':>14}  {'finished':>14}")
    for across, up in PAIRS:
        found = stages(scenario, axis_for(across, scenario), axis_for(up, scenario))
        cells = "  ".join(f"{wall:6.2f} ({own:5.2f})" for wall, own in found)
        print(f"{f'{across} × {up}':20}  {cells}")


def page_times(browser: Any, address: str, link: str) -> tuple[float, float | None]:
    """Return seconds from the request to a drawn chart, and to a finished map if it is one."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    begin = time.perf_counter()
    page.goto(f"{address}/{link}")
    page.wait_for_function(DRAWN, timeout=300_000)
    first, finished = time.perf_counter() - begin, None
    if link.startswith("map"):
        page.wait_for_function(FINISHED, timeout=300_000)
        finished = time.perf_counter() - begin
    page.close()
    return first, finished


def main() -> None:
    """Print both tables."""
    engine()
    print("page, one run each on one server: seconds from the request")
    with running_app() as address, running_browser() as browser:
        page_times(browser, address, "?kappa=10")  # the server's own start
        for link in (
            "?kappa=20",
            "map?kappa=10",
            "map?kappa=10&mu=0.3&my=condition",
            "map?kappa=10",
        ):
            first, finished = page_times(browser, address, link)
            done = "" if finished is None else f"  finished {finished:.1f}"
            print(f"{link:34}  drawn {first:.1f}{done}")


if __name__ == "__main__":
    main()
