"""Time to the first and to the finished crossover map: python -m tests.benchmarks.map

The engine on one core, for each pair of axes with 41 cells a side, in wall and in processor
seconds; then the page in a real browser, from the request, or from a click on Explore, to the first
and to the finished map, beside the Explore page in the same run.
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
VISITS = 3
DRAWN = "document.querySelector('.live-chart[data-chart={chart}][data-state=drawn]')"
IDLE = "document.querySelector('[data-test-script-state=notRunning]')"
FINISHED = "document.querySelector('.st-key-map-progress [data-testid=stCaptionContainer]')"
# What is timed, whether it is reached by a click from Explore, and the links. A map that must be
# filled needs a new link each time; one link alone is visited again and again, and is known.
VISITED = (
    ("Explore", False, ["?kappa=20"]),
    ("map, rate, new", False, [f"map?kappa={kappa}" for kappa in (10, 20, 50)]),
    ("map, condition, new", False, [f"map?my=condition&rate={rate}" for rate in (0.8, 0.4, 0.2)]),
    ("map, rate, known", False, ["map?kappa=10"]),
    (
        "map, rate, new, by a click from Explore",
        True,
        [f"?kappa={kappa}" for kappa in (5, 200, 500)],
    ),
    ("map, rate, known, by a click from Explore", True, ["?kappa=10"]),
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


def page_times(page: Any, begin: float, *, is_map: bool) -> tuple[float, float | None]:
    """Return seconds from `begin` to a drawn chart, and to a finished map if it is one."""
    chart = "map" if is_map else "damage"
    drawn = DRAWN.format(chart=chart)
    page.wait_for_function(drawn, polling=20, timeout=300_000)
    first, finished = time.perf_counter() - begin, None
    if is_map:
        page.wait_for_function(f"{drawn} && {FINISHED}", polling=20, timeout=300_000)
        finished = time.perf_counter() - begin
    return first, finished


def visited(browser: Any, address: str, link: str, *, click: bool) -> tuple[float, float | None]:
    """Return the times of a visit in a fresh browser; by a click from Explore, or by the link."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    begin = time.perf_counter()
    page.goto(f"{address}/{link}")
    if click:
        page.wait_for_function(f"{DRAWN.format(chart='damage')} && {IDLE}", timeout=300_000)
        begin = time.perf_counter()
        page.get_by_role("link", name="Map", exact=True).click()
    times = page_times(page, begin, is_map=click or link.startswith("map"))
    context.close()
    return times


def main() -> None:
    """Print both tables."""
    engine()
    print(f"page, median of {VISITS} fresh browsers on one server: seconds from request or click")
    with running_app() as address, running_browser() as browser:
        visited(browser, address, "?kappa=10", click=False)  # the server's own start
        for title, click, links in VISITED:
            links = links * (VISITS if len(links) == 1 else 1)
            times = [visited(browser, address, link, click=click) for link in links]
            first = np.median([drawn for drawn, _ in times])
            ends = [end for _, end in times if end is not None]
            done = f"  finished {np.median(ends):.1f}" if ends else ""
            print(f"{title:44}  drawn {first:.1f}{done}")


if __name__ == "__main__":
    main()
