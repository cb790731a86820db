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
WHY: Final = (
    "Correlated noise does less harm because later steps take back part of what earlier steps "
    "added. Momentum carries every kick on for about 1/(1−μ) steps, so a correction meets the kick "
    "smeared out. A mechanism that is tuned for momentum 0, as NoiseCurve is, then corrects at the "
    "wrong time; one that spreads its corrections over many steps, as Dense MF does, suffers less. "
    "Which one is best depends on momentum, schedule and curvature together."
)
WORDS: Final = (
    "A *strategy* says how the noise of different steps is correlated; privacy is counted on it, "
    "and all are scaled to the same privacy. *Toeplitz* means that it treats all steps alike; *b "
    "bands* that it reaches b steps back, for the strategy or for the noise itself. *Prefix sums* "
    "are the sums of all gradients up to each step. *MF* is short for matrix factorization."
)
READING: Final = (
    "Lower is better. The strip shows who does the least damage where; at a dashed line another "
    "mechanism takes over, at a thin line two others change places."
)
