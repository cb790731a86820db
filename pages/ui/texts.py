"""The standing texts of the pages."""

from __future__ import annotations

from typing import Final

from momentdp_core import Scenario
from pages.views import words
from pages.views.swept import SweptParameter

TITLE: Final = "Whose privacy noise does the least damage?"
DAMAGE: Final = (
    "**Damage** is how much the privacy noise alone is expected to raise the final loss. "
    "Mechanisms of equal privacy differ in how they correlate the noise of different training "
    "steps, and the optimizer decides which of them does the least damage."
)
_EXACT: Final = (
    "All values are exact for the quadratic model: a quadratic loss with the chosen curvature, "
    "{optimizer}, and Gaussian noise scaled for {passes}. {sampled} "
    "Designs that are solved numerically are as good as the solver made them. NoiseCurve is nearly "
    "optimal by its own criterion, but many designs are, and they differ elsewhere: away from "
    "plain SGD at a constant rate its damage is that of the design used here."
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

MAP_TITLE: Final = "Who wins where"
MAP_INTRO: Final = (
    "Two controls at once: each cell is one setting, in the colour of the mechanism that does the "
    "least damage there. Drag the point, or click a cell, to go to the nearest setting of the "
    "sidebar. Hover a cell for its top three."
)
MAP_FLIPS: Final = (
    "From the point, move one control and leave the others: how far until the answer changes? "
    "A button goes to the first setting of the sidebar beyond it."
)

WHY_TITLE: Final = "Why the ranking flips"
_WHY_INTRO: Final = (
    "Training adds privacy noise to every step. A **mechanism** decides how the noise of different "
    "steps is correlated; the **optimizer** is a filter that passes some of it on. **Damage** is "
    "what is left at the end: it is large where noise and filter are strong together. Slide "
    "{symbol} in the sidebar: everything here follows."
)
WHY_RESPONSE: Final = (
    "**The filter: impulse response g(t).** What one unit of noise at step t does to the final "
    "error, along each direction (mode) of the loss; λ is its steepness."
)
WHY_COVARIANCE: Final = (
    "**The noise: autocovariance.** How the noise of the middle step goes together with the noise "
    "of later steps. Below zero, later steps take back what was added."
)
WHY_SAMPLE: Final = (
    "**A sample of the noise, seed {seed}.** One random draw, the same for a and b; no other value "
    "on this page is random. Below it the running sum: noise that cancels itself stays near zero."
)
WHY_SPECTRUM: Final = (
    "**Noise power, and the optimizer's squared response.** How strong the noise is at each "
    "frequency (averaged over the run), and how much of that frequency the optimizer lets through."
)
WHY_DAMAGE: Final = (
    "**Damage by frequency.** The area below a line is that mechanism's exact damage. Shaded: who "
    "is ahead there, in their colour; the larger shaded area wins."
)
WHY_EXACT: Final = (
    "Damage by frequency is the exact quadratic form σ²/2 Σ λ g K gᵀ written in a DFT basis, for "
    "any schedule: the shares add up to the exact damage above. A share can be negative, "
    "because the frequencies of a finite run are not independent. Stationary theory multiplies "
    "noise power by response² instead. That is exact for independent noise and approximate for "
    "the rest, most of all where the noise changes along the run, as NoiseCurve's does; both "
    "totals stand above."
)
WHY_ZERO: Final = (
    "A logarithmic axis has no place for frequency 0, the constant part of the noise: it is drawn "
    "left of the dotted line. Values of exactly zero are left out."
)
WHY_MODES: Final = (
    "**Damage by mode.** Each bar is a mechanism's damage, stacked from the steepest mode to the "
    "flattest, least damage on top. Striped: the mode that adds most to the gap between a and b. "
    "A bar far longer than the others is squeezed into the chart and marked »; its number holds."
)

OPTIMIZERS_TITLE: Final = "Which optimizer loses least?"
OPTIMIZERS_INTRO: Final = (
    "An optimizer that smooths noise away also learns more slowly. What it is expected to lose has "
    "three parts: **bias**, what is left of the starting error; **sampling noise**, from drawing "
    "batches; and **privacy noise**, the damage of the other pages. Their sum is the **total "
    "excess loss**. Smaller ε means more privacy noise and changes nothing else."
)
OPTIMIZERS_BARS: Final = (
    "**Excess loss by cause.** Smallest total on top. A bar far longer than the others is squeezed "
    "and marked »; its number holds."
)
OPTIMIZERS_SWEEP: Final = (
    "**Total excess loss against ε.** At a dashed line, with its ε on top, another optimizer "
    "becomes best; a small circle is where two others change places. Values of the main parameters "
    "stay as they are along ε."
)
OPTIMIZERS_SAME: Final = (
    "For one optimizer at one value, every mechanism leaves the same bias and the same sampling "
    "noise. So among mechanisms the ranking by total is always the ranking by privacy damage; the "
    "two can only differ between optimizers."
)
OPTIMIZERS_MATRIX: Final = (
    "Privacy damage of every optimizer under every mechanism, each optimizer at the value of the "
    "table above; stronger red is more, on a log scale. **◆** best mechanism for that optimizer "
    "(row) · **●** best optimizer for that mechanism (column). Choose a cell to open its optimizer "
    "in Explore."
)

_OPTIMIZERS_EXACT: Final = (
    "All values are exact for the quadratic model: a quadratic loss with the chosen curvature, "
    "Gaussian privacy noise scaled for {passes}, and independent sampling noise of the same size "
    "at every step. Nothing is sampled. DiSK knows the curvature of a quadratic exactly, which "
    "flatters it."
)
DESIGN_TITLE: Final = "The best mechanism for your training"
DESIGN_INTRO: Final = (
    "The noise mechanism that does the least damage for the optimizer, schedule and curvature in "
    "the sidebar, with a proof of how far it can be from the best possible. Say what is not "
    "known, and it is made for the whole range."
)
DESIGN_SWEEP: Final = (
    "**Damage against the swept value**, all else as in the sidebar. Shaded, or a line: what the "
    "design is made for. Short bars: the best possible at one value alone. The published "
    "mechanisms keep the design that they have for the sidebar's setting."
)
DESIGN_CONDITIONS: Final = (
    "**Every condition of the range.** One point is one condition, the large one the worst. At 1 a "
    "mechanism does as little damage as any mechanism can there."
)
DESIGN_PRICE: Final = (
    "**The price of bands**, for the value of the slider. Fewer bands keep less past noise; the "
    "thin line is what no design of so many bands can beat."
)
DESIGN_MATRICES: Final = (
    "**Its matrices.** C is what privacy is counted on, C⁻¹ makes the noise, K says how the noise "
    "of two steps goes together. Red above zero, blue below."
)
DESIGN_THINNED: Final = "Of {horizon} steps, {shown} are drawn."
DESIGN_SAMPLE: Final = (
    "**A sample of its noise, seed {seed}**, beside independent noise of the same draw. Below it "
    "the running sum."
)
DESIGN_SPECTRUM: Final = (
    "**Its spectrum**, averaged over the run: correlated noise moves power to high frequencies."
)
DESIGN_TAKE: Final = (
    "The file holds the strategy and the noising matrix, the scenario, the sensitivity and the "
    "certificate; its format is described in `momentdp_core/design_file.py`, and "
    "`momentdp_core.load_design` checks it. The privacy holds for one pass over the data with as "
    "many steps as the design has."
)
TAKE_AWAY: Final = (
    "A figure has the zoom and the marker that are on screen, and its file holds the link of this "
    "setting. CSV and Parquet hold what the charts show, in full precision{json}. Run the copied "
    "code in momentdp's folder."
)
TAKE_AWAY_JSON: Final = "; JSON holds the result as the command line prints it"

EVIDENCE_TITLE: Final = "Does it reproduce?"
EVIDENCE_INTRO: Final = (
    "Every claim of the two papers that this program is about, as published and as it comes out "
    "here. **Exact** claims follow from the mathematics: anything but full agreement would be a "
    "fault of this program. **Statistical** ones come from sampling, or hang on settings that the "
    "papers do not print; then ours are stated. Verdicts are computed from the figures. Choose a "
    "row to open it below the table."
)
EVIDENCE_NOTES: Final = (
    "MOMENT-DP: arXiv:2611.11457. DP-PMLF: arXiv:2511.08841. The command `python -m momentdp_core "
    "reproduce --all --out DIR` computes all of this anew."
)
SEED_HELP: Final = "Of all sampling. Studies without sampling give the same for every seed."
_TABLE_2: Final = (
    "**Table 2 depends on how NoiseCurve is solved.** The printed recipe, Adam with 1500 steps, "
    "stops well above the objective that can be reached. As the paper's own recipe leaves it, "
    "NoiseCurve is last under momentum; solved properly, mostly not. How often, and how far the "
    "recipe is off, stands above; on the page Logistic both can be tried."
)
# What was found out beyond a verdict, by claim.
CLAIM_NOTES: Final = {
    "M21": "The printed recipe is not converged at every size, so that the gap between two solvers "
    "depends on when each one is stopped.",
    "M24": "NoiseCurve's pairs are never frozen: away from its home, momentum 0 and a constant "
    "rate, its damage depends on rounding in its solver and is not settled.",
    **dict.fromkeys(("M25", "M26", "M27"), _TABLE_2),
    "M30": "The paper does not list the conditions of its broader study; ours are momentum 0, "
    "0.5 and 0.9 by three schedules. The rank intervals of the best mechanisms overlap (page "
    "Logistic), so that which of them is first in the mean is partly chance. Tried beside it: "
    "every learning rate of the sweep, and a reading in which a first choice need only not be told "
    "from the best.",
    "P4": "Only one part comes out: InnerOuter is last. The published figures are accuracies of a "
    "vision transformer on CIFAR-10; here a logistic regression is trained, each method at its own "
    "best rate and again all at DPSGD's. The first three are hardly told apart here. Tried beside "
    "it: other cutoffs, windows and clipping thresholds, none of which is printed.",
    "P5": "The published change of sign appears here only without the start-up normalisation that "
    "DP-PMLF prescribes, and at a smaller ε. Tried beside it: other cutoffs and learning rates.",
}
REGISTRY_TITLE: Final = "Frozen before they were tested"
REGISTRY_INTRO: Final = (
    "Twelve cases in which two mechanisms change places between two momenta. The damage formula "
    "predicted them; they were written into a file, and its SHA-256 was recorded, **before** any "
    "training was simulated. The simulator knows only the file and the update rule, not the "
    "formula. It trains until the 95 % interval of the difference is at most a quarter of the "
    "difference to either side."
)
REGISTRY_CHART: Final = (
    "**Simulated difference beside the predicted one.** The solid line is the difference that the "
    "formula predicts, the dashed line is no difference. An interval to the right of the dashed "
    "line confirms the order; one that also holds the solid line agrees in size. Some of many 95 % "
    "intervals miss it by chance."
)
REGISTRY_NOISECURVE: Final = (
    "No case has NoiseCurve: its solver's rounding changes its damage away from momentum 0 and a "
    "constant rate, so that no order with it is settled there. A second registry, **control**, "
    "holds twelve cases with smaller margins."
)
REGISTRY_OWN: Final = (
    "The scenario is the one of the sidebar. The formula says which of the two does less damage; "
    "the simulator then trains with both on the same draws."
)


_BOUND: Final = (
    " Where a sensitivity is a bound and not exact, the noise may be more than privacy needs, and "
    "the damage is a bound as well."
)


def exact(scenario: Scenario) -> str:
    """Return what is exact on Explore, and for which optimizer and participation.

    >>> "curvature, the optimizer Heavy ball, and" in exact(Scenario())
    True
    """
    return _exact(_EXACT, scenario, sampled="Nothing is sampled.")


def why_model(scenario: Scenario) -> str:
    """Return what is exact and what is random on "Why it flips"."""
    return _exact(_EXACT, scenario, sampled="Only the sample of the noise is random.")


def optimizers_exact(scenario: Scenario) -> str:
    """Return what is exact on "Optimizers"."""
    return _exact(_OPTIMIZERS_EXACT, scenario)


def why_intro(swept: SweptParameter) -> str:
    """Return the introduction of "Why it flips"."""
    return _WHY_INTRO.format(symbol=swept.symbol)


def _exact(text: str, scenario: Scenario, sampled: str = "") -> str:
    optimizer = f"the optimizer {scenario.optimizer.label}"
    said = text.format(optimizer=optimizer, passes=words.passes(scenario), sampled=sampled)
    return said if scenario.participations == 1 else said + _BOUND
