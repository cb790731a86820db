"""The claims that are identities: M1 to M3, M19 and M33."""

from __future__ import annotations

from momentdp_core.experiments.crossings import ConfirmedCrossovers, confirmed_crossovers
from momentdp_core.experiments.epsilon import EpsilonInvariance, epsilon_invariance
from momentdp_core.experiments.identity import IdentityGrid, identity_grid
from momentdp_core.experiments.monte_carlo import SampledDamage, sampled_damage
from momentdp_core.experiments.trajectory import TrajectoryRanks, trajectory_ranks
from momentdp_core.experiments.verdicts import (
    EXACT,
    MOMENT_DP,
    REPRODUCED,
    Claim,
    Experiment,
    Finding,
    below,
    holds,
)

LARGEST_DEVIATION = 4.0
ROUNDING = 1e-12
# Two long computations of the same number, each of which adds up its own rounding.
PROPAGATED = 1e-10


def judge_sampled(claim: Claim, record: SampledDamage) -> Finding:
    """Propagation agrees to rounding and every sample mean lies within 4 standard errors."""
    gap = max(case.propagation_gap for case in record.cases)
    far = max(abs(case.deviation) for case in record.cases)
    fits = below([gap], PROPAGATED) == REPRODUCED and below([far], LARGEST_DEVIATION) == REPRODUCED
    again = [case for case in record.cases if case.first_deviation is not None]
    return Finding(
        outcome=holds(fits),
        ours=f"propagation within {gap:.1e}; sampling within {far:.2f} standard errors",
        our_values=(gap, far),
        setting=f"{record.setting}; {record.cases[0].runs} runs each, seed {record.seed}",
        detail=f"{len(again)} conditions beyond 4 standard errors were sampled again.",
    )


def judge_identity(claim: Claim, record: IdentityGrid) -> Finding:
    """All 576 configurations agree below 1e-10 in all three routes."""
    complete = record.cases == claim.published_values[1] == record.agreeing
    return Finding(
        outcome=holds(complete and below([record.worst], 1e-10) == REPRODUCED),
        ours=f"{record.agreeing} of {record.cases} below 1e-10; worst {record.worst:.1e}",
        our_values=(float(record.agreeing), float(record.cases), record.worst),
        setting=record.setting,
        detail=(
            f"Worst by route: norm {record.worst_norm:.1e}, contraction "
            f"{record.worst_contraction:.1e}, propagation {record.worst_propagation:.1e}; "
            f"at {record.worst_case}. X is solved against, whose conditioning sets the rounding."
        ),
    )


def judge_crossings(claim: Claim, record: ConfirmedCrossovers) -> Finding:
    """Every reported crossover has the reported order on both sides, and blinds none of them."""
    fits = record.reported > 0 and record.confirmed == record.reported
    return Finding(
        outcome=holds(fits and record.blind_right_on_both == 0),
        ours=f"{record.confirmed} of {record.reported} crossovers confirmed on both sides",
        our_values=(float(record.confirmed), float(record.reported)),
        setting=record.setting,
        detail=(
            f"A momentum-blind score was right on both sides {record.blind_right_on_both} times. "
            + "; ".join(record.failures[:3])
        ).strip(),
    )


def judge_epsilon(claim: Claim, record: EpsilonInvariance) -> Finding:
    """All damages scale by one factor to 1e-12, and no rank changes."""
    one_factor = below([record.spread], ROUNDING) == REPRODUCED and len(record.factors) > 1
    return Finding(
        outcome=holds(one_factor and record.rank_changes == 0),
        ours=f"one factor within {record.spread:.1e}; {record.rank_changes} ranks change",
        our_values=(record.spread, float(record.rank_changes)),
        setting=f"ε = {', '.join(f'{x:g}' for x in record.epsilons)}; {record.setting}",
    )


def judge_trajectory(claim: Claim, record: TrajectoryRanks) -> Finding:
    """The score is the average of the propagated losses, and ends in the final damage."""
    fits = below([record.propagation_gap], PROPAGATED) == REPRODUCED
    fits = fits and below([record.last_step_gap], ROUNDING) == REPRODUCED
    apart = sum(c.final_spread > c.trajectory_spread for c in record.conditions)
    count = len(record.conditions)
    mean_tau = sum(c.tau for c in record.conditions) / count
    return Finding(
        outcome=holds(fits),
        ours=f"formula within {max(record.propagation_gap, record.last_step_gap):.1e}",
        our_values=(record.propagation_gap, record.last_step_gap),
        setting=record.setting,
        detail=(
            f"Final damage spreads the mechanisms further in {apart} of {count} conditions; "
            f"Kendall's τ between the two rankings is {mean_tau:.2f} on average."
        ),
    )


EXPERIMENTS = (
    Experiment(
        key="sampled_damage",
        title="Proposition 1 by propagation and sampling",
        run=lambda seed, tell: sampled_damage(seed=seed, tell=tell),
    ),
    Experiment(
        key="identity_grid",
        title="The 576-case identity grid",
        run=lambda seed, tell: identity_grid(tell=tell),
        long=True,
    ),
    Experiment(
        key="confirmed_crossovers",
        title="Every crossover confirmed on both sides",
        run=lambda seed, tell: confirmed_crossovers(tell=tell),
    ),
    Experiment(
        key="epsilon_invariance",
        title="Rankings do not depend on ε",
        run=lambda seed, tell: epsilon_invariance(),
    ),
    Experiment(
        key="trajectory_ranks",
        title="Trajectory-weighted ranks",
        run=lambda seed, tell: trajectory_ranks(tell=tell),
    ),
)

CLAIMS = (
    Claim(
        id="M1",
        statement="The damage formula is the exact expected final loss from privacy noise",
        source=MOMENT_DP + "Proposition 1, Appendix A.1",
        published="exact",
        kind=EXACT,
        study="sampled_damage",
        judge=judge_sampled,
    ),
    Claim(
        id="M2",
        statement="NoiseCurve's criterion is the damage at zero momentum and constant rate",
        source=MOMENT_DP + "Section 2.2, Appendix B.3",
        published="576 of 576 below 1e-10; worst 9.7e-16",
        published_values=(576.0, 576.0, 9.7e-16),
        kind=EXACT,
        study="identity_grid",
        judge=judge_identity,
    ),
    Claim(
        id="M3",
        statement="A momentum-blind criterion cannot be right on both sides of a crossover",
        source=MOMENT_DP + "Section 2.2",
        published="exact",
        kind=EXACT,
        study="confirmed_crossovers",
        judge=judge_crossings,
    ),
    Claim(
        id="M19",
        statement="ε rescales all damages by one factor, so ranks do not depend on it",
        source=MOMENT_DP + "Appendix E.4",
        published="exact",
        kind=EXACT,
        study="epsilon_invariance",
        judge=judge_epsilon,
    ),
    Claim(
        id="M33",
        statement="Trajectory-weighted damage, and its ranks beside those of the final damage",
        source=MOMENT_DP + "Appendix A.3",
        published="formula",
        kind=EXACT,
        study="trajectory_ranks",
        judge=judge_trajectory,
    ),
)
