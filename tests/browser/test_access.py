"""Every page for everyone: axe-core finds nothing serious, in both themes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.browser.conftest import VIEWPORT, grave_findings

pytestmark = pytest.mark.browser

SMALL = "T=32&b=4&d=4"
# The address of each page and how many charts it draws.
PAGES = {
    "explore": (f"?{SMALL}", 2),
    "pinned": (f"?{SMALL}&pin=kappa%3D10", 2),
    "hidden": (f"?{SMALL}&predict=hidden&mu=0.1", 2),
    "revealed": (f"?{SMALL}&predict=revealed&mu=0.1", 2),
    "tour": ("?tour=3", 2),
    "talk-light": (f"?{SMALL}&talk=light", 1),
    "talk-dark": (f"?{SMALL}&talk=dark&predict=hidden", 1),
    "why": (f"why?{SMALL}&step=1", 6),
    "optimizers": (f"optimizers?{SMALL}", 2),
    "design": (f"design?{SMALL}&dval=range", 6),
    "map": (f"map?{SMALL}&mech=iid,dense,noisecurve", 1),
    "mechanisms": (f"mechanisms?{SMALL}", 3),
    "evidence": ("evidence?claim=M17", 1),
    "registry": (f"registry?{SMALL}", 1),
    "logistic": ("logistic", 5),
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", list(PAGES))
def test_axe_finds_nothing_grave(name: str, theme: Any, chromium: Any, app_address: str) -> None:
    """Names, roles, contrast and keyboard: no serious or critical finding on the drawn page."""
    link, charts = PAGES[name]
    page = chromium.new_page(viewport=VIEWPORT, color_scheme=theme)
    page.goto(f"{app_address}/{link}")
    page.wait_for_function(
        f"document.querySelectorAll('.live-chart[data-state=drawn]').length === {charts}"
    )
    grave = grave_findings(page)
    page.close()
    assert grave == {}
