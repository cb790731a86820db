"""Drives the app without a browser, for the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path

from streamlit.testing.v1 import AppTest

from momentdp_core import Scenario, evaluate
from pages.views.explore import point_view
from pages.views.swept import swept_of

APP = str(Path(__file__).resolve().parents[2] / "app.py")
SMALL = {"T": "16", "b": "4"}
STUDY = {"horizon": 16, "bands": 4}


def opened(**link: str) -> AppTest:
    """Open the app with a link, as a browser would."""
    app = AppTest.from_file(APP, default_timeout=60)
    for name, text in link.items():
        app.query_params[name] = text
    return run(app)


def link_of(app: AppTest) -> dict[str, str]:
    """Return the parameters of the address, which are lists or texts by who wrote them."""
    return {
        name: texts if isinstance(texts, str) else texts[0]
        for name, texts in app.query_params.items()
    }


def run(app: AppTest) -> AppTest:
    """Run the app once and hold that it never shows a traceback."""
    app.run()
    assert not app.exception, app.exception
    return app


def shown(app: AppTest) -> str:
    """Return everything the page says in its own HTML: readouts, sentence and table."""
    return " ".join(
        block.proto.body for block in app.get("html") if "<style>" not in block.proto.body
    )


def chart(app: AppTest, key: str) -> dict[str, object]:
    """Return the data that a chart's component was given."""
    found = [json.loads(part.proto.json)[0] for part in app.get("bidi_component")]
    (data,) = [data for data in found if data.get("key") == key]
    return dict(data)


def says(app: AppTest, scenario: Scenario, momentum: float) -> bool:
    """Say whether the page shows what the engine finds for a scenario at a momentum."""
    view = point_view(evaluate(scenario, swept_of(scenario.optimizer).values), momentum)
    return view.sentence in shown(app) and all(r.value in shown(app) for r in view.readouts[2:])
