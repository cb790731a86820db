"""Help for a reader who knows SGD but not matrix factorization."""

from __future__ import annotations

from typing import Final

from pages.views.evidence import VERDICTS

CONTROLS: Final = {
    "mu": "Momentum: how much of the last step is carried into the next; 0 carries nothing over. "
    "Every study covers its whole range at once; this picks the value the numbers are for.",
    "beta": "How much older gradients count beside the newest one: each step back counts β times "
    "as much. 0 is no memory.",
    "alpha": "How much of the running average of the weights is kept at each step. 0 answers with "
    "the last weights.",
    "cutoff": "Frequencies above the cut-off are damped; 1 is the highest there is, half a cycle "
    "a step. A low cut-off lets only slow changes through.",
    "gain": "How much of the new noisy gradient DiSK believes; 1 is plain SGD. Its paper writes κ, "
    "which is the condition number here.",
    "opt": "The rule that turns noisy gradients into steps. Its main parameter is the slider on "
    "top, and everything on the pages follows it.",
    "k": "Each example's gradient is averaged over its last k steps. At most the steps T.",
    "design": "First order forgets exponentially. Butterworth is flatter below the cut-off and "
    "steeper above it.",
    "order": "Of the Butterworth filter: a higher one cuts more sharply and reacts later.",
    "norm": "Divides by what the filter has taken in so far, so that the first steps are not too "
    "small.",
    "corr": "Divides by 1−β^t, so that the first steps are not too small, as Adam does.",
    "wd": "Pull of the weights towards zero, relative to the steepest curvature.",
    "tail": "Share of the run, at its end, whose weights are averaged.",
    "fa": "a₁, a₂, … in m(t) = −Σ aᵣ m(t−r) + Σ bᵣ g(t−r): how past outputs enter. Σb − Σa must be "
    "1, so that the mean of the gradient is kept. May be empty.",
    "fb": "b₀, b₁, …: how the newest and past gradients enter.",
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
    "rate": "Peak learning rate times the steepest curvature. Heavy ball at a constant "
    "schedule is stable below 2(1+μ).",
    "T": "Number of training steps. Each step adds noise once. The designs of a long run can take "
    "a minute the first time; they are then kept.",
    "d": "Number of independent directions (eigenmodes) of the loss.",
    "b": "How many past steps a banded mechanism may correlate its noise with. Unbanded "
    "mechanisms ignore it.",
    "eps": "Privacy budget ε: smaller is more private and needs more noise. It scales every "
    "damage alike and never changes a ranking.",
    "delta": "Probability δ with which the ε guarantee may fail. It never changes a ranking.",
    "parts": "How many steps may use one example at most: the number of passes over the data, "
    "if each pass uses it once. (ε, δ) then covers all of them together, each mechanism gets the "
    "noise that this takes, and the ranking can change.",
    "apart": "How many steps later the same example may come back at the earliest: the steps of "
    "one pass, if every pass keeps its order. Only matters for more than one time.",
    "mech": "A mechanism decides how the privacy noise of different steps is correlated. All "
    "give the same privacy; they differ in the damage. Ranks count the chosen ones.",
    "mx": "The control that changes from left to right.",
    "my": "The control that changes from bottom to top.",
    "by": "What a cell's colour says.",
    "fix": "The mechanism that would be used everywhere; the map shows what that costs.",
    "ma": "The first of the two mechanisms to compare.",
    "mb": "The second one.",
    "a": "The first of the two mechanisms to compare.",
    "vs": "The second one. The best other one changes with the slider.",
    "mode": "A direction of the loss, from the steepest to the flattest: whose impulse response "
    "to draw.",
    "seed": "Start of the random numbers of the sample. Only the sample depends on it.",
    "opts": "The optimizers side by side. DPSGD is plain SGD with privacy noise.",
    "own": "The mechanism that you brought on the page Mechanisms. It stays in this session: a "
    "link says that it was there but does not hold it.",
    "about": "The mechanism to look at. It need not be among those shown elsewhere.",
    "under": "The noise mechanism of the charts and the table. The matrix below has all of them.",
    "at": "Each optimizer at its own slider, or at the value with the smallest total excess loss "
    "or the least privacy damage under this mechanism, looked for in steps of 0.01.",
    "e0": "Distance from the best weights at the start, the same in every direction of the loss. "
    "What training leaves of it is the bias.",
    "noise": "Standard deviation of the gradient from drawing a batch, in each direction and step. "
    "The privacy noise is σ times what the mechanism makes of it; σ is about 1 at ε = 4.",
    "edge": "Nothing on the page tells what lies beyond this value.",
    "guess": "Where you think that another mechanism takes the lead, for the first time beyond the "
    "hidden edge.",
    "never": "You think that the winner never changes beyond the hidden edge.",
    "dval": "Design for the value of the slider in the sidebar, or for five values of a range.",
    "dlo": "Lowest value that the design has to serve.",
    "dhi": "Highest value that the design has to serve.",
    "dk": "The condition number is not known better than within this factor: the design serves it "
    "divided by the factor, as it is, and times the factor.",
    "dr": "The learning rate, or the curvature that clipping leaves, may be lower than assumed: "
    "the design serves four rates from this share of it to all of it.",
    "dway": "How much the mean damage over all steps counts beside that at the end. Where it "
    "counts, noise cannot pile up on the way and rely on the curvature to take it back.",
    "dform": "A full design keeps the noise of all past steps. A banded one keeps only b − 1, the "
    "bands b of the sidebar.",
    "aim": "The mean over all conditions, or the worst of them.",
    "rel": "Count each condition's damage as a multiple of the best possible there, so that none "
    "counts more because its damage is larger.",
    "best": "A new design at every value, with a proof that no mechanism does less. It takes some "
    "seconds and fills in as it is found.",
    "claim": "The claim that is open below the table.",
    "paper": "Which paper the claims are from.",
    "verdict": "How near ours is to what was published: "
    + "; ".join(f"{name}: {meaning}" for name, _, meaning in VERDICTS.values())
    + ".",
    "kind": "Exact claims must agree fully; statistical ones come from sampling or hang on "
    "settings that are not printed.",
    "lr": "Peak step size, in units of one over the largest curvature. The paper does not print "
    "its own.",
    "leps": "The privacy target: smaller is more private and noisier. δ is 1e-5.",
    "reps": "How often each mechanism is trained, with the same random numbers for all.",
    "solver": "The paper designs NoiseCurve with 1500 steps of Adam, which stop short. Solved "
    "properly, it reaches the best objective.",
    "cond": "Momentum and schedule of the three charts below.",
    "base": "The mechanism that the others are held against.",
    "axis": "The slider's value itself, or over how many steps it averages. The second spreads "
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

OPTIMIZER_LABELS: Final = {
    "mu": "Momentum μ (fixed)",
    "beta": "Per-sample memory β",
    "k": "Per-sample window k",
    "design": "Low-pass filter",
    "order": "Order of the filter",
    "norm": "Start-up normalisation",
    "corr": "Bias correction",
    "wd": "Weight decay γ",
    "tail": "Averaged share of the run",
    "fa": "Filter coefficients a",
    "fb": "Filter coefficients b",
}

# One step of each optimizer; g is the noisy gradient, θ the weights, η the learning rate.
EQUATIONS: Final = {
    "heavy_ball": "v ← μv + g, θ ← θ − ηv",
    "nesterov": "v ← μv + g, θ ← θ − η(g + μv)",
    "ema": "v ← βv + (1−β)g, θ ← θ − ηv",
    "weight_decay": "v ← μv + g + γθ, θ ← θ − ηv",
    "tail_average": "heavy ball; the answer is the mean of the last θ",
    "weight_average": "heavy ball; the answer is a ← αa + (1−α)θ",
    "lp_dpsgd": "m = low-pass(g), θ ← θ − ηm",
    "filter": "m = −Σ aᵣm(t−r) + Σ bᵣg(t−r), v ← μv + m, θ ← θ − ηv",
    "per_sample_momentum": "each example's gradient averaged over k steps, then noise, θ ← θ − ηg",
    "dp_pmlf": "per-sample average, then noise, m = low-pass(g), θ ← θ − ηm",
    "inner_outer": "per-sample average, then noise, v ← μv + g, θ ← θ − ηv",
    "disk": "g̃ ← (1−a)(g̃ + HΔθ) + a·g, θ ← θ − ηg̃, a = gain",
}
