"""The claims of DP-PMLF: P1 to P5."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from momentdp_core.experiments.execution import plain
from momentdp_core.experiments.logistic_evidence import Evidence, pmlf_evidence
from momentdp_core.experiments.verdicts import (
    EXACT,
    NOT_REPRODUCED,
    REPRODUCED,
    SAME_DIRECTION,
    STATISTICAL,
    Claim,
    Experiment,
    Finding,
    below,
    compare_numbers,
    holds,
)

DP_PMLF = "DP-PMLF (arXiv:2511.08841), "
STUDY = "pmlf"
ROUNDING = 1e-12
# Many 95 % intervals are looked at together, so twice as wide a one has to hold the formula.
WIDER = 2.0


def _record(claim: Claim, evidence: Evidence) -> tuple[Any, Any, dict[str, Any]]:
    entry = evidence.numbers[claim.id]
    return entry["published"], entry["ours"], entry["settings"]


def _off(formula: Any, simulated: Any, low: Any, high: Any) -> np.ndarray:
    """Return the distance of simulation and formula in half-widths of the 95 % interval."""
    half = (np.asarray(high) - np.asarray(low)) / 2
    return np.asarray(np.abs(np.asarray(simulated) - np.asarray(formula)) / half)


def judge_reduction(claim: Claim, evidence: Evidence) -> Finding:
    """Simulation agrees with ρ² everywhere, and ρ² nears k as β nears 1."""
    published, ours, settings = _record(claim, evidence)
    formula = np.asarray(published["reduction"])
    off = _off(formula, ours["reduction"], ours["low"], ours["high"])
    windows = np.asarray(settings["windows"], float)
    short = float((1 - formula[-1] / windows).max())
    fits = bool((off <= WIDER).all()) and bool((np.diff(formula, axis=0) >= 0).all())
    detail = f"At β = {settings['betas'][-1]:g} the formula is {short:.1e} of k below k."
    if "on_task_mean" in ours:
        detail += (
            " The formula is for independent draws. On the logistic task one example's gradient "
            f"hardly changes from step to step: the factor measured there is "
            f"{ours['on_task_mean']:.2f} on average and {ours['on_task_largest']:.2f} at most."
        )
    return Finding(
        outcome=holds(fits and 0 <= short < 0.01),
        ours=(
            f"{off.size} pairs of β and k simulated; the farthest from the formula is "
            f"{off.max():.2f} half-widths of its 95 % interval away"
        ),
        our_values=(float(off.max()), short),
        setting=(
            f"β in {', '.join(f'{x:g}' for x in settings['betas'])}; "
            f"k in {', '.join(f'{x:g}' for x in settings['windows'])}"
        ),
        detail=detail,
    )


def judge_filter(claim: Claim, evidence: Evidence) -> Finding:
    """Gain 1 at frequency 0, noise suppressed at every cutoff, by two formulas and simulation."""
    _, ours, settings = _record(claim, evidence)
    gain = float(np.abs(np.asarray(ours["gain_at_zero"]) - 1).max())
    factors = np.asarray(ours["suppression"])
    routes = float(np.abs(np.asarray(ours["suppression_by_frequency"]) / factors - 1).max())
    off = _off(factors, ours["suppression_simulated"], ours["low"], ours["high"])
    fits = bool((factors > 1).all()) and bool((off <= WIDER).all()) and routes <= 1e-9
    sound = below([gain], ROUNDING) == REPRODUCED
    return Finding(
        outcome=holds(fits and sound),
        ours=(
            f"gain 1 within {gain:.1e}; noise variance falls by a factor "
            f"{factors.min():.2f} to {factors.max():.1f}"
        ),
        our_values=(1 + gain, *factors.tolist()),
        setting=f"cutoffs {', '.join(f'{x:g}' for x in settings['cutoffs'])}",
        detail=(
            "The filter works on what is already private, so it costs no privacy. Simulation is "
            f"within {off.max():.2f} half-widths of its 95 % interval."
        ),
    )


def judge_start(claim: Claim, evidence: Evidence) -> Finding:
    """With the normalisation the output is constant from step 0; without it, it is not."""
    _, ours, settings = _record(claim, evidence)
    deviation = [float(x) for x in ours["largest_deviation"]]
    bias = [float(x) for x in ours["bias_without_normalisation"]]
    fits = below(deviation, ROUNDING) == REPRODUCED and min(bias) > ROUNDING
    return Finding(
        outcome=holds(fits),
        ours=f"deviates by at most {max(deviation):.1e}",
        our_values=(max(deviation),),
        setting=f"constant input; cutoffs {', '.join(f'{x:g}' for x in settings['cutoffs'])}",
        detail=f"Without it the first output is off by {min(bias):.2f} to {max(bias):.2f} of 1.",
    )


def judge_order(claim: Claim, evidence: Evidence) -> Finding:
    """The four methods in the published order at both ε; else the same first and last method."""
    published, ours, settings = _record(claim, evidence)
    pairs = [(published[eps]["order"], ours[eps]["tuned"]["order"]) for eps in published]
    outcome = _order_word(pairs)
    names = settings["labels"]
    shown = [
        f"ε {eps}: " + " < ".join(names[key] for key in ours[eps]["tuned"]["order"])
        for eps in published
    ]
    last = sum(a[-1] == b[-1] for a, b in pairs)
    common = [
        f"ε {eps}: " + " < ".join(names[key] for key in ours[eps]["common"]["order"])
        for eps in published
    ]
    gaps = [
        f"{names[key]} {ours[eps]['tuned']['over_dpsgd'][key]:+.1e} ± "
        f"{ours[eps]['tuned']['over_dpsgd_half_width'][key]:.1e} at ε {eps}"
        for eps in published
        for key in ours[eps]["tuned"]["order"]
        if key != "dpsgd"
    ]
    return Finding(
        outcome=outcome,
        ours="; ".join(shown),
        our_values=tuple(float(ours[eps]["tuned"]["mean"][key]) for eps in published
                         for key in published[eps]["order"]),
        setting=(
            "logistic regression, excess loss from best to worst, each method at its own best "
            f"rate; {_common_setting(settings)}"
        ),
        detail=(
            f"{names[published['1']['order'][-1]]} is last at {last} of {len(pairs)} ε. "
            f"At DPSGD's rate for all: {'; '.join(common)}. Excess loss over DPSGD with 95 % "
            f"interval: {', '.join(gaps)}.{_other_orders([a for a, _ in pairs], ours)}"
        ),
    )  # fmt: skip


def _order_word(pairs: Sequence[tuple[Sequence[str], Sequence[str]]]) -> str:
    if all(list(a) == list(b) for a, b in pairs):
        return REPRODUCED
    if all(a[0] == b[0] and a[-1] == b[-1] for a, b in pairs):
        return SAME_DIRECTION
    return NOT_REPRODUCED


def _other_orders(published: Sequence[Sequence[str]], ours: dict[str, Any]) -> str:
    """Say what the order is at other values of what is not printed."""
    readings = [plain(reading) for reading in ours.get("readings", ())]
    if not readings:
        return ""
    words = [_order_word(list(zip(published, r["orders"], strict=True))) for r in readings]
    sure = sum(all(r["sure"]) for r in readings)
    last = sum(
        all(a[-1] == b[-1] for a, b in zip(published, r["orders"], strict=True)) for r in readings
    )
    return (
        f" At {len(readings)} other combinations of cutoff, k and clipping threshold: the "
        f"published order at {words.count(REPRODUCED)}, its first and last method at "
        f"{words.count(SAME_DIRECTION)} more, its last at {last}; DP-PMLF surely better than "
        f"DPSGD at {sure}."
    )  # fmt: skip


def judge_ablation(claim: Claim, evidence: Evidence) -> Finding:
    """The filter's effect changes from help at small ε to harm at large ε, near the printed ε."""
    _, ours, settings = _record(claim, evidence)
    outcome, text = _crossing(claim, ours)
    detail = f"Share of bootstrap samples with a change: {100 * ours['crossing_share']:.0f} %."
    if "without_normalisation" in ours:
        other, told = _crossing(claim, ours["without_normalisation"])
        detail += f" Without the start-up normalisation: {told}, {other}."
    detail += _other_changes(ours)
    crossover = ours["crossover"]
    return Finding(
        outcome=outcome,
        ours=text,
        our_values=() if crossover is None else (float(crossover),),
        setting=f"logistic regression, rate {settings['rate']:g}; {_common_setting(settings)}",
        detail=detail,
    )


def _other_changes(ours: dict[str, Any]) -> str:
    """Say where the sign changes at other values of what is not printed."""
    told = []
    for normalise, word in ((True, "with"), (False, "without")):
        readings = [plain(reading) for reading in ours.get("readings", ())]
        readings = [reading for reading in readings if reading["normalise"] is normalise]
        at = [r["crossover"] for r in readings if r["sure"] and r["crossover"] is not None]
        span = f", at ε {min(at):.2f} to {max(at):.2f}" if at else ""
        if readings:
            told.append(f"{len(at)} of {len(readings)} {word} the normalisation{span}")
    return f" Sure changes at other cutoffs and rates: {'; '.join(told)}." if told else ""


def _crossing(claim: Claim, ours: dict[str, Any]) -> tuple[str, str]:
    effects = np.asarray(ours["relative_difference"], float)
    widths = np.asarray(ours["relative_half_width"], float)
    ends = " and ".join(
        f"{100 * x:+.1f} ± {100 * w:.1f} % of the loss at ε {eps:g}"
        for eps, x, w in zip(ours["end_epsilons"], effects, widths, strict=True)
    )
    sure = effects[0] + widths[0] < 0 < effects[-1] - widths[-1]
    if ours["crossover"] is None or not sure:
        return NOT_REPRODUCED, f"no sure change of sign: {ends}"
    near = compare_numbers(claim.published_values, (float(ours["crossover"]),), rounding=0.5)
    word = SAME_DIRECTION if near == NOT_REPRODUCED else near
    interval = f"(95 % interval {ours['low']:.2f} to {ours['high']:.2f})"
    return word, f"changes at ε {ours['crossover']:.2f} {interval}: {ends}"


def _common_setting(settings: dict[str, Any]) -> str:
    return (
        f"β {settings['beta']:g}, k {settings['window']}, cutoff {settings['cutoff']:g}, "
        f"{settings['replicates']} replicates, seed {settings['seed']}"
    )


EXPERIMENTS = (
    Experiment(
        key=STUDY,
        title="DP-PMLF: per-sample momentum and low-pass filter",
        run=lambda seed, tell: pmlf_evidence(seed, tell=tell),
        long=True,
    ),
)

CLAIMS = (
    Claim(
        id="P1",
        statement="Per-sample momentum divides the sampling variance by ρ², which tends to k",
        source=DP_PMLF + '"Per-Sample Momentum"',
        published="ρ² = (1+β)(1−βᵏ)/((1−β)(1+βᵏ))",
        kind=EXACT,
        study=STUDY,
        judge=judge_reduction,
    ),
    Claim(
        id="P2",
        statement="The low-pass filter keeps the signal's mean and suppresses privacy noise",
        source=DP_PMLF + '"Low-Pass Filter"',
        published="gain 1 at frequency 0; noise suppressed",
        published_values=(1.0,),
        kind=EXACT,
        study=STUDY,
        judge=judge_filter,
    ),
    Claim(
        id="P3",
        statement="Start-up normalisation removes the filter's transient bias",
        source=DP_PMLF + '"Initialization Bias Correction"',
        published="output constant from the first step",
        published_values=(0.0,),
        kind=EXACT,
        study=STUDY,
        judge=judge_start,
    ),
    Claim(
        id="P4",
        statement="DP-PMLF is best of four methods at ε 1 and 8, InnerOuter is last",
        source=DP_PMLF + '"Image Classification"',
        published="DP-PMLF, LP-DPSGD, DPSGD, InnerOuter at both ε (accuracy on CIFAR-10)",
        kind=STATISTICAL,
        study=STUDY,
        judge=judge_order,
    ),
    Claim(
        id="P5",
        statement="The filter helps while the noise is large and slightly hurts when it is small",
        source=DP_PMLF + '"Ablation Study"',
        published="helps up to ε 6",
        published_values=(6.0,),
        kind=STATISTICAL,
        study=STUDY,
        judge=judge_ablation,
    ),
)
