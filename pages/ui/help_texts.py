"""Help for a reader who knows SGD but not matrix factorization."""

from __future__ import annotations

from typing import Final

CONTROLS: Final = {
    "mu": "Heavy-ball momentum: how much of the last step is carried into the next. 0 is plain "
    "SGD. Every study covers 0 to 0.99 at once; this picks the value the numbers are for.",
    "schedule": "How the learning rate changes over training, relative to its peak.",
    "warmup": "Share of the steps over which the rate rises to its peak.",
    "factor": "What the rate is multiplied by at the end of each stage.",
    "stages": "How many equal stages training is cut into.",
    "final": "Last rate as a share of the peak.",
    "front": "Last rate as a share of the peak.",
    "back": "First rate as a share of the peak.",
    "chi": "Your own schedule: one multiplier of the peak rate a step, separated by commas, "
    "spaces or new lines.",
    "spectrum": "How steep the quadratic loss is in each of its directions: the eigenvalues of "
    "its Hessian. The steepest is 1.",
    "kappa": "Steepest curvature divided by the flattest. Larger means a harder problem.",
    "lam": "Your own eigenvalues, none negative, separated by commas, spaces or new lines.",
    "rate": "Peak learning rate times the steepest curvature. With momentum μ and a constant "
    "schedule, training is stable below 2(1+μ).",
    "T": "Number of training steps. Each step adds noise once. The designs of a long run can take "
    "a minute the first time; they are then kept.",
    "d": "Number of independent directions (eigenmodes) of the loss.",
    "b": "How many past steps a banded mechanism may correlate its noise with. Unbanded "
    "mechanisms ignore it.",
    "eps": "Privacy budget ε: smaller is more private and needs more noise. It scales every "
    "damage alike and never changes a ranking.",
    "delta": "Probability δ with which the ε guarantee may fail. It never changes a ranking.",
    "mech": "A mechanism decides how the privacy noise of different steps is correlated. All "
    "give the same privacy; they differ in the damage. Ranks count the chosen ones.",
    "a": "The first of the two mechanisms to compare.",
    "vs": "The second one. The best other one changes with μ.",
    "mode": "A direction of the loss, from the steepest to the flattest: whose impulse response "
    "to draw.",
    "seed": "Start of the random numbers of the sample. Only the sample depends on it.",
    "axis": "μ itself, or 1/(1−μ): over how many steps momentum averages. The second spreads "
    "out the values near 1.",
}

SCHEDULE_LABELS: Final = {
    "warmup_fraction": "Warm-up share",
    "step_factor": "Factor of each stage",
    "step_stages": "Stages",
    "final_fraction": "Final share",
    "front_end": "Final share",
    "back_start": "First share",
}

HESSIAN: Final = (
    "A symmetric matrix of up to 64 rows. Only its eigenvalues are used, and they go into the link."
)
