"""The standing texts of the page "Logistic"."""

from __future__ import annotations

from typing import Final

LOGISTIC_TITLE: Final = "Real private training"
LOGISTIC_INTRO: Final = (
    "Explore's damage is exact for a quadratic loss. Here a logistic regression is really trained "
    "with each mechanism's noise, as in MOMENT-DP's Table 2: 4096 examples, one pass in 128 steps "
    "of 32, every example's gradient clipped, nine mechanisms on **the same data and the same "
    "random numbers** in every replicate. **Excess loss** is how far the training loss ends above "
    "its minimum. Four conditions differ in momentum and schedule only."
)
LOGISTIC_MISSING: Final = (
    "There is no result for these settings yet: press the button. What still runs for other "
    "settings goes on, and is here when you set them again."
)
LOGISTIC_RANKS: Final = (
    "**Ranks.** 1 is the smallest mean excess loss of nine. An interval holds every rank that the "
    "paired replicates cannot tell apart."
)
LOGISTIC_DIFFERENCES: Final = (
    "**Paired differences.** Excess loss minus that of the chosen mechanism, in the same "
    "replicates, with 95 % intervals. To the right is worse; an interval that leaves out 0 "
    "(dashed) tells the two apart."
)
LOGISTIC_PATH: Final = (
    "**Loss on the way.** Mean over the replicates; the bands are 95 % intervals."
)
LOGISTIC_CAUSES: Final = (
    "**Where the loss comes from**, found by training again with one cause after the other "
    "switched on: **optimisation**, what full-batch training without noise leaves; **sampling**, "
    "from small batches; **clipping**; **privacy**, from the noise, with its 95 % interval. The "
    "first three are the same for all mechanisms. A cause may lower the loss."
)
LOGISTIC_SWEEP: Final = (
    "NoiseCurve's rank under each condition, with 95 % intervals, on the paper's synthetic data. "
    "Published: 2 without momentum, 9 in the other three."
)
LOGISTIC_OWN: Final = (
    "A CSV table with one row an example, the label in a column y, label, target or class, else in "
    "the last one; or an NPZ file with arrays X and y. Labels are 0 and 1, or −1 and 1. An eighth "
    "of the rows, at most 500, is set aside to choose the clipping norm and the curvature, counts "
    "as public, and is not trained on. For more than 256 steps use the engine."
)
LOGISTIC_MODEL: Final = (
    "Replicates differ in the privacy noise only. The paper's recipe for NoiseCurve, Adam with "
    "1500 steps, ends well above the best objective: choose “solved properly” to see what its last "
    "place owes to that."
)
