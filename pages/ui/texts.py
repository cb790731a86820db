"""The standing texts of the pages."""

from __future__ import annotations

from typing import Final

TITLE: Final = "Whose privacy noise does the least damage?"
DAMAGE: Final = (
    "**Damage** is how much the privacy noise alone is expected to raise the final loss. "
    "Mechanisms of equal privacy differ in how they correlate the noise of different training "
    "steps, and momentum decides which of them does the least damage."
)
EXACT: Final = (
    "All values are exact for the quadratic model: a quadratic loss with the chosen curvature, "
    "heavy-ball SGD, and Gaussian noise scaled for one pass over the data. Nothing is sampled. "
    "Designs that are solved numerically are as good as the solver made them. NoiseCurve is nearly "
    "optimal by its own criterion, but many designs are, and they differ elsewhere: away from "
    "μ = 0 and a constant rate its damage is that of the design used here."
)
READING: Final = (
    "Lower is better. The strip shows who does the least damage where; at a dashed line another "
    "mechanism takes over, at a thin line two others change places."
)
