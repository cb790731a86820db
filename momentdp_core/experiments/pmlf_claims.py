"""The published figures of DP-PMLF beside ours, claim by claim, as plain numbers."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from momentdp_core.experiments.logistic_claims import Numbers, numbers
from momentdp_core.experiments.logistic_ranks import mean_and_error, t_factor
from momentdp_core.experiments.pmlf import (
    METHODS,
    ORDERED,
    FilterAblation,
    OrderingStudy,
    PmlfSettings,
)
from momentdp_core.experiments.pmlf_parts import FilterStudy, SamplingReduction

# DP-PMLF (arXiv:2511.08841), CIFAR-10 with a vision transformer: accuracy in %, by ε.
ACCURACY = {
    1.0: {"dpsgd": 35.74, "lp_dpsgd": 35.84, "inner_outer": 11.55, "dp_pmlf": 40.96},
    8.0: {"dpsgd": 47.74, "lp_dpsgd": 48.37, "inner_outer": 33.53, "dp_pmlf": 51.47},
}
# Its ablation: the filter helps up to this ε.
FILTER_HELPS_UP_TO = 6.0


def claim_p1(study: SamplingReduction, on_task: np.ndarray | None = None) -> Numbers:
    """Return P1: the formula ρ² (published) beside the simulated reduction (ours).

    Args:
        study: over β and k.
        on_task: if given, the reduction measured on the logistic task, `reduction_on_task`.

    Source: DP-PMLF, "Per-Sample Momentum".
    """
    ours: Numbers = {"reduction": study.simulated, "low": study.low, "high": study.high}
    if on_task is not None:
        ours["on_task_mean"] = float(on_task.mean())
        ours["on_task_largest"] = float(on_task.max())
    settings = {"betas": study.betas, "windows": study.windows}
    return numbers({"reduction": study.formula}, ours, settings)


def claim_p2(study: FilterStudy) -> Numbers:
    """Return P2: gain 1 at frequency 0, and the noise suppressed by a factor above 1.

    Source: DP-PMLF, "Low-Pass Filter".
    """
    ours = {
        "gain_at_zero": study.gain_at_zero,
        "suppression": study.suppression,
        "suppression_by_frequency": study.suppression_by_frequency,
        "suppression_simulated": study.suppression_simulated,
        "low": study.simulated_low,
        "high": study.simulated_high,
    }
    return numbers({"gain_at_zero": 1.0}, ours, {"cutoffs": study.cutoffs})


def claim_p3(study: FilterStudy) -> Numbers:
    """Return P3: on a constant input the normalised output deviates by 0 from step 0 on.

    Source: DP-PMLF, "Initialization Bias Correction".
    """
    ours = {
        "largest_deviation": study.largest_deviation,
        "bias_without_normalisation": study.start_up_bias,
        "output": study.output,
        "output_without_normalisation": study.output_from_rest,
    }
    return numbers({"largest_deviation": 0.0}, ours, {"cutoffs": study.cutoffs})


def claim_p4(study: OrderingStudy, settings: PmlfSettings) -> Numbers:
    """Return P4: the methods from best to worst at ε = 1 and 8, with their mean excess losses.

    Published: by accuracy on CIFAR-10. Ours: by excess loss on the logistic task, each method at
    its own best rate ("tuned") and all at DPSGD's ("common").

    Source: DP-PMLF, "Image Classification".
    """
    published: Numbers = {}
    ours: Numbers = {}
    for place, epsilon in enumerate(study.epsilons.tolist()):
        label = f"{epsilon:g}"
        if epsilon in ACCURACY:
            table = ACCURACY[epsilon]
            best_first = sorted(ORDERED, key=table.__getitem__, reverse=True)
            published[label] = {"order": best_first, "accuracy": table}
        ours[label] = {}
        for which in ("tuned", "common"):
            runs = getattr(study, which)[:, place]
            mean, error = mean_and_error(runs)
            factor = t_factor(len(runs))
            base = study.methods.index("dpsgd")
            gap, spread = mean_and_error(runs - runs[:, [base]])
            ours[label][which] = {
                "order": list(study.order(which, place)),
                "mean": dict(zip(study.methods, mean.tolist(), strict=True)),
                "half_width": dict(zip(study.methods, (factor * error).tolist(), strict=True)),
                "over_dpsgd": dict(zip(study.methods, gap.tolist(), strict=True)),
                "over_dpsgd_half_width": dict(
                    zip(study.methods, (factor * spread).tolist(), strict=True)
                ),
            }
    return numbers(published, ours, {"labels": dict(METHODS), **asdict(settings)})


def claim_p5(study: FilterAblation, settings: PmlfSettings) -> Numbers:
    """Return P5: the ε up to which the filter helps, and its effect at both ends of the sweep.

    Published: it helps at ε ≤ 6 and slightly hurts beyond.

    Source: DP-PMLF, "Ablation Study".
    """
    ends = [0, -1]
    ours = {
        "crossover": study.crossover,
        "low": study.crossover_low,
        "high": study.crossover_high,
        "crossing_share": study.crossing_share,
        "epsilons": study.epsilons,
        "effect": study.difference / study.without,
        "effect_half_width": study.half_width / study.without,
        "end_epsilons": study.epsilons[ends],
        "relative_difference": study.difference[ends] / study.without[ends],
        "relative_half_width": study.half_width[ends] / study.without[ends],
    }
    return numbers(
        {"crossover": FILTER_HELPS_UP_TO}, ours, {"rate": study.rate, **asdict(settings)}
    )
