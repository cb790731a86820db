"""The claims about the designs: M20 to M23."""

from __future__ import annotations

from momentdp_core.experiments.lr_limit import LrAwareLimit, lr_aware_limit
from momentdp_core.experiments.sensitivity import SensitivityCheck, sensitivity_check
from momentdp_core.experiments.solver_check import SolverCheck, solver_check
from momentdp_core.experiments.verdicts import (
    CLOSE,
    EXACT,
    MOMENT_DP,
    NOT_REPRODUCED,
    REPRODUCED,
    SAME_DIRECTION,
    STATISTICAL,
    Claim,
    Experiment,
    Finding,
    below,
    relative_gap,
)

ROUNDING = 1e-12


def judge_lr_limit(claim: Claim, record: LrAwareLimit) -> Finding:
    """The entries agree to machine precision in all three comparisons."""
    return Finding(
        outcome=below([*record.to_sqrt, *record.to_binomials, *record.to_workload], ROUNDING),
        ours=f"largest difference {record.worst:.1e}",
        our_values=(record.worst,),
        setting=record.setting,
        detail=(
            f"To the square-root mechanism {max(record.to_sqrt):.1e}, to the binomial "
            f"coefficients {max(record.to_binomials):.1e}, C² to the prefix sum "
            f"{max(record.to_workload):.1e}."
        ),
    )


def judge_solvers(claim: Claim, record: SolverCheck) -> Finding:
    """Compare how many of the six agree, and by how much the two largest horizons differ."""
    count, first, second = claim.published_values
    longest = max(case.horizon for case in record.cases)
    last = [100 * c.disagreement for c in record.cases if c.horizon == longest]
    values = (float(record.agreeing), *last)
    sound = all(
        case.ours <= case.best_known * (1 + 1e-4)
        and case.lower_bound <= case.ours * (1 + 1e-9)
        and min(case.adam_smallest, case.lbfgs_smallest) > 0
        for case in record.cases
    )
    near = [relative_gap(a, b) <= CLOSE for a, b in zip((first, second), last, strict=False)]
    half = record.agreeing >= len(record.cases) / 2
    worst_is_longest = max(record.cases, key=lambda c: c.disagreement).horizon == longest
    outcome = NOT_REPRODUCED
    if sound and record.agreeing == count and len(last) == 2 and all(near):
        outcome = REPRODUCED
    elif sound and half and worst_is_longest:
        outcome = SAME_DIRECTION
    gaps = ", ".join(
        f"T = {c.horizon}, b = {c.bands}: Adam {c.adam:.6g}, L-BFGS-B {c.lbfgs:.6g}, "
        f"ours {c.ours:.6g}, at least {c.lower_bound:.6g}"
        for c in record.cases
    )
    shown = " and ".join(f"{x:.2g} %" for x in last)
    return Finding(
        outcome=outcome,
        ours=f"{record.agreeing} of {len(record.cases)} within 0.01 %; T = {longest}: {shown}",
        our_values=values,
        setting=record.setting,
        detail=gaps + ".",
    )


def judge_recovery(claim: Claim, record: SolverCheck) -> Finding:
    """CᵀC gives X back to rounding for every solution."""
    residuals = [case.residual for case in record.cases]
    return Finding(
        outcome=below(residuals, 1e-15),
        ours=f"largest residual {max(residuals):.1e}",
        our_values=(max(residuals),),
        setting=record.setting,
    )


def judge_sensitivity(claim: Claim, record: SensitivityCheck) -> Finding:
    """The largest column norm of every strategy is 1 to 1e-12."""
    worst = max(record.largest_gap)
    return Finding(
        outcome=below(record.largest_gap, ROUNDING),
        ours=f"largest column norm 1 within {worst:.1e}",
        our_values=(worst,),
        setting=(
            f"{record.designs} designs of {len(record.mechanisms)} mechanisms; {record.setting}"
        ),
    )


EXPERIMENTS = (
    Experiment(
        key="lr_aware_limit",
        title="LR-aware at a constant rate",
        run=lambda seed, tell: lr_aware_limit(),
    ),
    Experiment(
        key="solver_check",
        title="NoiseCurve's solvers compared",
        run=lambda seed, tell: solver_check(tell=tell),
    ),
    Experiment(
        key="sensitivity_check",
        title="Sensitivity of every strategy",
        run=lambda seed, tell: sensitivity_check(tell=tell),
    ),
)

CLAIMS = (
    Claim(
        id="M20",
        statement="LR-aware at a constant schedule is the square-root Toeplitz strategy",
        source=MOMENT_DP + "Appendix B.1",
        published="machine precision",
        kind=EXACT,
        study="lr_aware_limit",
        judge=judge_lr_limit,
    ),
    Claim(
        id="M21",
        statement="NoiseCurve's solver, Adam, agrees with L-BFGS-B",
        source=MOMENT_DP + "Appendix B.2",
        published="4 of 6 within 0.01 %; T = 32: 0.9 % and 4.7 %",
        published_values=(4.0, 0.9, 4.7),
        kind=STATISTICAL,
        study="solver_check",
        judge=judge_solvers,
    ),
    Claim(
        id="M22",
        statement="The recovered strategy satisfies CᵀC = X",
        source=MOMENT_DP + "Appendix B.2",
        published="about 1e-16",
        published_values=(1e-16,),
        kind=EXACT,
        study="solver_check",
        judge=judge_recovery,
    ),
    Claim(
        id="M23",
        statement="Every strategy has sensitivity one before the noise is calibrated",
        source=MOMENT_DP + "Appendix C",
        published="exact",
        kind=EXACT,
        study="sensitivity_check",
        judge=judge_sensitivity,
    ),
)
