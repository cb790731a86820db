"""Draw the pictures: the one of the README, and with a folder given, every state of every page.

python -m tests.browser.screenshots            # the README's picture
python -m tests.browser.screenshots FOLDER     # all states, light and dark, wide and narrow
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from pages.ui.url_state import PARAMETERS
from tests.browser.conftest import running_app, running_browser

README_PICTURE = Path(__file__).with_name("explore.png")
SIZES = {"wide": (1440, 900), "narrow": (390, 844)}
STATES = {
    "default": "",
    "home": "kappa=10&mu=0",
    "flip": "kappa=10",
    "flip-back": "schedule=cosine",
    "small-steps": "kappa=10&rate=0.1",
    "steps-axis": "axis=steps",
    "unstable": "rate=3.0&mu=0.2",
    "unstable-everywhere": "rate=3.0&T=2&schedule=custom&chi=2,2",
    "best-possible": "kappa=10&best=yes",
    "one-mechanism": "mech=noisecurve",
    "no-noisecurve": "mech=iid,dense,bisr",
    "no-mechanism": "mech=none",
    "one-direction": "d=1",
    "one-step": "T=1",
    "flat-directions": "spectrum=custom&lam=1,0.1,0,0",
    "zero-damage": "T=2&schedule=custom&chi=0,0",
    "bad-eigenvalues": "spectrum=custom&lam=1,x",
    "bad-schedule": "schedule=custom&chi=1,1",
    "nonsense-link": "mu=zz&rate=7&foo=1",
    "low-pass": "opt=lp_dpsgd&design=butterworth&order=3&rate=0.2",
    "own-filter": "opt=filter&fa=-0.5&fb=1",
    "pmlf": "opt=dp_pmlf&rate=0.4",
    "disk": "opt=disk&rate=0.4",
    "pinned": "kappa=10&pin=kappa%3D10%26rate%3D0.1",
    "pinned-other-optimizer": "kappa=10&opt=ema&pin=kappa%3D10%26mech%3Diid%252Cdense",
    "predict-hidden": "kappa=10&mu=0.1&predict=hidden",
    "predict-beyond": "kappa=10&mu=0.6&predict=hidden",
    "predict-revealed": "kappa=10&mu=0.1&predict=revealed&guess=0.3",
    "predict-steps-axis": "kappa=10&mu=0.1&predict=hidden&axis=steps",
    **{f"tour-{number}": f"tour={number}" for number in range(1, 9)},
    "talk-light": "kappa=10&talk=light",
    "talk-dark": "kappa=10&talk=dark",
    "talk-predict": "kappa=10&talk=light&mu=0.1&predict=revealed&guess=0.3",
    "talk-fault": "talk=dark&mech=none",
}
# The states of "Why it flips", behind its own address.
WHY_STATES = {
    "why-default": "",
    "why-lesson-1": "kappa=10&rate=0.1&mu=0&a=iid&vs=dense&step=1",
    "why-lesson-4": "kappa=10&rate=0.1&mu=0.15&vs=dense&step=4",
    "why-lesson-5": "kappa=10&rate=0.1&vs=dense&step=5",
    "why-one-mode": "kappa=10&mode=3&seed=7",
    "why-schedule": "schedule=cosine",
    "why-unstable": "rate=3.0&mu=0.2",
    "why-same-mechanism": "a=iid&vs=iid",
    "why-one-mechanism": "mech=noisecurve",
    "why-one-direction": "d=1",
    "why-one-step": "T=1",
    "why-flat-directions": "spectrum=custom&lam=1,0.1,0,0",
    "why-zero-damage": "T=2&schedule=custom&chi=0,0",
    "why-long": "T=512&d=64",
    "why-low-pass": "opt=lp_dpsgd&rate=0.2",
}
# The states of "Optimizers".
OPTIMIZERS_STATES = {
    "optimizers-default": "",
    "optimizers-small-steps": "rate=0.1&e0=10",
    "optimizers-best": "at=total&under=dense",
    "optimizers-least-damage": "at=privacy&rate=0.1",
    "optimizers-all": f"rate=0.1&opts={','.join(PARAMETERS['opts'].options)}",
    "optimizers-unstable": "rate=3.0&opts=dpsgd,disk",
    "optimizers-alone": "opts=disk&mech=iid",
    "optimizers-none": "opts=none",
    "optimizers-one-step": "T=1&opts=dpsgd,disk,lp_dpsgd",
}
# The states of the map, behind its own address.
MAP_STATES = {
    "map-default": "kappa=10",
    "map-condition": "kappa=10&my=condition&mu=0.3",
    "map-schedule": "kappa=10&my=schedule",
    "map-rank": "kappa=10&by=rank&my=condition",
    "map-regret": "kappa=10&by=regret&my=schedule",
    "map-gap": "kappa=10&by=gap&my=condition",
    "map-two-designs": "mx=rate&my=condition&T=32",
    "map-no-condition-number": "my=condition&spectrum=isotropic",
    "map-low-pass": "opt=lp_dpsgd&T=64&mech=iid,dense,bisr",
}
# The states of "Mechanisms".
MECHANISMS_STATES = {
    "mechanisms-default": "",
    "mechanisms-noisecurve": "about=noisecurve&kappa=10",
    "mechanisms-inverse": "about=bandinv_mean&parts=4&apart=8",
    "mechanisms-long": "about=banded_mean&T=512&mech=iid",
    "mechanisms-unstable": "rate=3.0&mu=0.2",
    "mechanisms-one-step": "T=1",
    "mechanisms-own-missing": "own=1&about=own",
}
# The states of "Design".
DESIGN_STATES = {
    "design-default": "",
    "design-range": "dval=range&dr=0.25&T=64",
    "design-worst-banded": "dval=range&dk=10&aim=worst&dform=banded&T=64",
    "design-cosine": "schedule=cosine&dform=banded",
    "design-suggested": "dr=0.25&dway=0.1",
    "design-one-step": "T=1",
    "design-unstable": "rate=3.0&mu=0.1",
    "design-low-pass": "opt=lp_dpsgd&T=64&mech=iid,dense,bisr",
}
# The states of "Evidence".
EVIDENCE_STATES = {
    "evidence-default": "",
    "evidence-table-3": "claim=M8&paper=moment",
    "evidence-perturbation": "claim=M17&verdict=within,direction",
    "evidence-blind": "claim=M24",
    "evidence-losses": "claim=M26",
    "evidence-filter": "claim=P1&paper=pmlf",
}
# The states of "Registry".
REGISTRY_STATES = {
    "registry-default": "",
    "registry-own": "a=bisr&vs=dense&mu=0.5",
    "registry-same": "a=iid&vs=iid",
}
# The states of "Logistic".
LOGISTIC_STATES = {
    "logistic-default": "",
    "logistic-home": "cond=L0&base=dense",
    "logistic-not-run": "lr=0.02",
}
PAGES = {
    **{state: f"?{link}" for state, link in STATES.items()},
    **{state: f"why?{link}" for state, link in WHY_STATES.items()},
    **{state: f"optimizers?{link}" for state, link in OPTIMIZERS_STATES.items()},
    **{state: f"map?{link}" for state, link in MAP_STATES.items()},
    **{state: f"mechanisms?{link}" for state, link in MECHANISMS_STATES.items()},
    **{state: f"design?{link}" for state, link in DESIGN_STATES.items()},
    **{state: f"evidence?{link}" for state, link in EVIDENCE_STATES.items()},
    **{state: f"registry?{link}" for state, link in REGISTRY_STATES.items()},
    **{state: f"logistic?{link}" for state, link in LOGISTIC_STATES.items()},
}
READY = (
    "document.querySelector('[data-test-script-state=notRunning]') && "
    "!document.querySelector('[data-testid=stSkeleton], [data-testid=stProgress]') && "
    "document.querySelectorAll('.live-chart').length > 0 && "
    "document.querySelectorAll('.live-chart:not([data-state=drawn])').length === 0 "
    "|| document.querySelector('[data-testid=stAlertContentError]')"
)


def shoot(browser: Any, address: str, link: str, path: Path, *, size: str, theme: str) -> None:
    """Save a picture of the page behind a link; of its whole length, except for the README."""
    width, height = SIZES[size]
    whole = path != README_PICTURE
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
    page.goto(f"{address}/{link}")
    page.wait_for_function(READY, timeout=120_000)  # some designs take a while
    if whole and "talk=" not in link:
        script = "document.querySelector('[data-testid=stMain]').scrollHeight"
        page.set_viewport_size({"width": width, "height": page.evaluate(script)})
    page.evaluate("document.fonts.ready")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=path)
    page.close()


def main(arguments: list[str]) -> None:
    """Draw what the command line asks for."""
    with running_app() as address, running_browser() as browser:
        if not arguments:
            shoot(browser, address, "?kappa=10", README_PICTURE, size="wide", theme="light")
            print(README_PICTURE.name)
            return
        folder = Path(arguments[0])
        folder.mkdir(parents=True, exist_ok=True)
        for state, link in PAGES.items():
            for size in SIZES:
                for theme in ("light", "dark"):
                    path = folder / f"{state}-{size}-{theme}.png"
                    shoot(browser, address, link, path, size=size, theme=theme)
                    print(path.name)


if __name__ == "__main__":
    main(sys.argv[1:])
