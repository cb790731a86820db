"""The page “Logistic” as a reader uses it: settings, own data, and what training gave."""

from __future__ import annotations

import io
import json
import time
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from momentdp_core import InputError
from momentdp_core.experiments.logistic_data import paper_problem
from momentdp_core.experiments.logistic_ranks import rank_condition
from momentdp_core.experiments.logistic_report import (
    logistic_report,
    own_report,
    paper_report,
    shipped_report,
)
from momentdp_core.experiments.logistic_runs import COMPARED, LogisticSettings, run_logistic
from momentdp_core.experiments.logistic_sweep import PUBLISHED_RANKS
from pages.views import logistic as view
from pages.views import words
from tests.pages.driver import APP, chart, link_of, run, shown

PAGE = "pages/logistic.py"
CHARTS = tuple(f"logistic-{name}" for name in ("ranks", "differences", "path", "causes", "sweep"))
QUICK = LogisticSettings(replicates=3, noisecurve="solved", bands=2, checkpoints=4)


def opened(**link: str) -> AppTest:
    """Open the page with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    app.switch_page(PAGE)
    for name, text in link.items():
        app.query_params[name] = text
    return run(app)


def rows(count: int = 400) -> bytes:
    """A CSV file of a problem that can be learnt."""
    x = np.random.default_rng(1).standard_normal((count, 3))
    y = x[:, 0] + 0.5 * np.random.default_rng(2).standard_normal(count) > 0
    lines = [f"{a:.4f},{b:.4f},{c:.4f},{int(label)}" for (a, b, c), label in zip(x, y, strict=True)]
    return ("u,v,w,y\n" + "\n".join(lines)).encode()


@pytest.fixture(scope="module")
def report() -> dict[str, object]:
    """A small report on the paper's data."""
    return logistic_report(paper_problem(0), QUICK)


def until(app: AppTest, done: str) -> None:
    """Run the page again until it says something."""
    deadline = time.monotonic() + 90
    while done not in shown(app) and not app.error:
        assert time.monotonic() < deadline
        time.sleep(0.3)
        run(app)


def test_the_shipped_results_stand_there_at_first() -> None:
    """Ranks with intervals, differences, trajectories, causes and the sweep, all dated."""
    app = opened()
    told = shipped_report()
    for key in CHARTS:
        assert chart(app, key)["figure"]
        assert chart(app, key)["alt"]
    assert shown(app).count(told["date"]) == 2
    assert view.sentence(told["report"]).replace("'", "&#x27;") in shown(app)
    said = " ".join(block.value for block in [*app.markdown, *app.caption])
    assert view.sweep_sentence(told["sweep"]) in said
    assert "solved properly" in said
    assert not app.error


def test_what_is_shipped_is_what_is_computed(report: dict[str, object]) -> None:
    """The shipped report has the claims' ranks, and its settings are the page's defaults."""
    told = shipped_report()["report"]
    again = paper_report(LogisticSettings(noisecurve="solved", conditions=("L0",)), 0)
    for key in ("dense", "bisr"):
        at = again["conditions"]["L0"]["mechanisms"].index(key)
        shipped = told["conditions"]["L0"]
        assert again["conditions"]["L0"]["mean"][at] == pytest.approx(shipped["mean"][at], rel=1e-6)
    assert told["settings"]["learning_rate"] == LogisticSettings().learning_rate
    assert set(told["conditions"]) == set(report["conditions"])  # type: ignore[call-overload]


def test_the_report_is_the_study(report: dict[str, object]) -> None:
    """Ranks, intervals and differences are those of the engine; the causes add up to the loss."""
    study = run_logistic(paper_problem(0), LogisticSettings(
        replicates=3, noisecurve="solved", bands=2, checkpoints=4, mechanisms=COMPARED,
    ))  # fmt: skip
    for key, run_ in study.by_condition.items():
        told = report["conditions"][key]  # type: ignore[index]
        order = rank_condition(run_)
        assert told["rank"] == order.rank.tolist()
        assert told["best_rank"] == order.best_rank.tolist()
        np.testing.assert_allclose(told["difference"], order.difference)
        np.testing.assert_allclose(told["path"][-1], order.mean)
        total = told["optimisation"] + told["sampling"] + told["clipping"]
        np.testing.assert_allclose(total + np.array(told["privacy"]), order.mean)


def test_the_views_say_what_the_report_holds(report: dict[str, object]) -> None:
    """Differences are sorted and leave out their base; wrong ranks change the sentence."""
    tracks = view.differences_view(report, "L1", "dense").tracks
    assert len(tracks) == len(COMPARED) - 1
    assert "dense" not in {track.key for track in tracks}
    assert [track.y for track in tracks] == sorted(track.y for track in tracks)
    told = json.loads(json.dumps(report))
    at = COMPARED.index("noisecurve")
    for key, rank in zip(view.KEYS, PUBLISHED_RANKS, strict=True):
        for name in ("rank", "best_rank", "worst_rank"):
            told["conditions"][key][name][at] = rank
    assert "come out here" in view.sentence(told)
    for name in ("rank", "best_rank", "worst_rank"):
        told["conditions"]["L1"][name][at] = 8
    assert "not all of" in view.sentence(told)
    told["conditions"]["L1"]["worst_rank"][at] = 9
    assert "lie inside" in view.sentence(told)


def test_what_training_reaches_is_said() -> None:
    """The first and the last losses of the curves, and who ends above the start."""
    found = shipped_report()["report"]
    for condition in view.KEYS:
        path = view.path_view(found, condition)
        ends = [track.y[-1] for track in path.tracks]
        said = view.path_sentence(path)
        assert f"begins at {words.short(path.tracks[0].y[0])} and" in said
        assert f"{words.short(min(ends))} and {words.short(max(ends))}" in said
        above = sum(end > path.tracks[0].y[0] for end in ends)
        assert ("all end above" in said) == (above == len(ends))
        assert ("none ends above" in said) == (above == 0)


def test_parts_that_cannot_be_seen_are_named() -> None:
    """A cause under half a percent of the longest bar has its size in words."""
    causes = view.causes_view(shipped_report()["report"], "L1")
    size = words.short(causes.parts["optimisation"][0])
    assert view.causes_sentence(causes) == f"Too small to be seen: optimisation ({size})."
    seen = replace(causes, parts={cause: (1.0,) * len(causes.keys) for cause in causes.parts})
    assert view.causes_sentence(seen) == ""


def test_the_sweep_says_where_the_pattern_appears() -> None:
    """Met, admitted and last under momentum are told apart."""
    sweep = {
        "rates": [0.1, 0.2, 0.4],
        "rank": [[2, 9, 9, 9], [3, 9, 9, 9], [1, 1, 1, 1]],
        "best_rank": [[1, 9, 9, 9], [1, 8, 9, 9], [1, 1, 1, 1]],
        "worst_rank": [[3, 9, 9, 9], [4, 9, 9, 9], [1, 1, 1, 1]],
    }
    said = view.sweep_sentence(sweep)
    assert "come out at rate 0.1." in said
    assert "inside the intervals at rates 0.1, 0.2, outside them at rate 0.4." in said
    assert "with momentum at rates 0.1, 0.2." in said
    assert "none of the rates" in view.sweep_sentence({**sweep, "rank": [[1, 1, 1, 1]] * 3})


def test_the_settings_are_in_the_link() -> None:
    """A link opens them; other settings than the shipped ones wait for the button."""
    app = opened(lr="0.02", leps="8", reps="5", solver="solved", cond="L2", base="bisr")
    assert app.select_slider(key="lr").value == "0.02"
    assert not app.warning
    assert "Shipped" not in shown(app)
    assert "logistic-start" in {button.key for button in app.button}
    app.select_slider(key="lr").set_value("0.05")
    run(app)
    assert link_of(app)["lr"] == "0.05"
    assert {"leps", "reps", "solver", "cond", "base"} <= set(link_of(app))


def test_settings_without_a_result_say_so() -> None:
    """Other settings than the shipped ones have nothing to show until they are trained."""
    said = [info.value for info in opened(lr="0.05").info]
    assert any("no result for these settings yet" in text for text in said)
    assert not opened().info


def test_training_runs_beside_the_page_and_stays() -> None:
    """Trained with other settings, the charts appear, and are there after a visit elsewhere."""
    app = opened(lr="0.2", reps="5", solver="solved")
    app.button(key="logistic-start").click()
    run(app)
    until(app, "Trained here, seed 0.")
    assert not app.error
    assert chart(app, "logistic-ranks")["figure"]
    app.switch_page("pages/explore.py")
    run(app)
    app.switch_page(PAGE)
    run(app)
    assert "Trained here, seed 0." in shown(app)


def test_own_data_are_trained_on() -> None:
    """A file is read, trained on beside the page, and nothing published is claimed about it."""
    app = opened(reps="5", solver="solved")
    app.segmented_control(key="logistic_data").set_value("Your own data")
    run(app)
    assert "Choose a file" in app.info[0].value
    app.file_uploader(key="logistic_file").set_value(("rows.csv", rows(), "text/csv"))
    app.number_input(key="logistic_steps").set_value(16)
    run(app)
    app.button(key="logistic-start").click()
    run(app)
    until(app, "Nothing was published about these data")
    assert not app.error
    assert "published 9" not in shown(app)


def test_a_bad_file_is_a_message() -> None:
    """What is wrong with a file is said in words, with the row."""
    app = opened(reps="5", solver="solved")
    app.segmented_control(key="logistic_data").set_value("Your own data")
    run(app)
    bad = b"u,y\n1,0\n2,x\n"
    app.file_uploader(key="logistic_file").set_value(("rows.csv", bad, "text/csv"))
    run(app)
    app.button(key="logistic-start").click()
    run(app)
    until(app, "never said")
    assert "row 3, column 2" in app.error[0].value


def test_own_files_of_both_kinds_are_read() -> None:
    """NPZ and CSV of the same rows give the same report; too few rows are refused."""
    options = (("standardise", True), ("intercept", True), ("horizon", 8))
    first = own_report("a.csv", rows(), options, QUICK)
    table = np.array([line.split(",") for line in rows().decode().split("\n")[1:]], float)
    buffer = io.BytesIO()
    np.savez(buffer, X=table[:, :3], y=table[:, 3])
    second = own_report("a.npz", buffer.getvalue(), options, QUICK)
    assert first["conditions"] == second["conditions"]
    with pytest.raises(InputError, match="at least"):
        own_report("a.csv", rows(10), (("horizon", 64),), QUICK)
