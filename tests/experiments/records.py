"""Small hand-made records of every study, as they would be if the paper were met exactly."""

from __future__ import annotations

from momentdp_core.experiments.crossings import ConfirmedCrossovers
from momentdp_core.experiments.discovery import Discovery, Selection
from momentdp_core.experiments.epsilon import EpsilonInvariance
from momentdp_core.experiments.identity import IdentityGrid
from momentdp_core.experiments.lr_limit import LrAwareLimit
from momentdp_core.experiments.monte_carlo import SampledCase, SampledDamage
from momentdp_core.experiments.perturbation import CurvaturePerturbation, PerturbationCurve
from momentdp_core.experiments.protocol import BlindProtocol
from momentdp_core.experiments.rankings import Rankings, ScoreQuality
from momentdp_core.experiments.registry import CrossoverCase
from momentdp_core.experiments.schedule_table import ScheduleTable
from momentdp_core.experiments.sensitivity import SensitivityCheck
from momentdp_core.experiments.slices import Slice, SliceCount
from momentdp_core.experiments.solver_check import SolverCase, SolverCheck
from momentdp_core.experiments.trajectory import TrajectoryCondition, TrajectoryRanks
from momentdp_core.experiments.validation import SimulatedGap, ValidatedCase, Validation
from momentdp_core.experiments.winners import MomentumTable

SAMPLED = SampledDamage(
    cases=(
        SampledCase(
            mechanism="iid",
            schedule="constant",
            momentum=0.5,
            damage=1.0,
            propagation_gap=1e-15,
            deviation=-1.0,
            runs=100,
        ),
    ),
    seed=0,
    setting="",
)
IDENTITY = IdentityGrid(
    cases=576,
    agreeing=576,
    worst_norm=1e-13,
    worst_contraction=1e-12,
    worst_propagation=1e-14,
    worst_case="",
    horizons=(8,),
    mechanisms=("iid",),
    worst_by=((1e-12,),),
    setting="",
)
CROSSINGS = ConfirmedCrossovers(
    settings=1,
    reported=5,
    confirmed=5,
    blind_right_on_both=0,
    edges=(0.0, 1.0),
    reported_by=(5,),
    confirmed_by=(5,),
    blind_by=(0,),
    failures=(),
    setting="",
)
EPSILON = EpsilonInvariance(
    epsilons=(1.0, 4.0),
    factors=(1.0, 0.1),
    smallest_ratio=(1.0, 0.1),
    largest_ratio=(1.0, 0.1),
    spread=1e-16,
    rank_changes=0,
    setting="",
)
LR_LIMIT = LrAwareLimit(
    horizons=(8,), to_sqrt=(0.0,), to_binomials=(1e-15,), to_workload=(1e-16,), setting=""
)
TRAJECTORY = TrajectoryRanks(
    conditions=(
        TrajectoryCondition(
            condition_number=10.0,
            schedule="constant",
            momentum=0.9,
            final_ranks=(1, 2),
            trajectory_ranks=(2, 1),
            tau=-1.0,
            final_spread=1.0,
            trajectory_spread=0.5,
        ),
    ),
    mechanisms=("iid", "dense"),
    propagation_gap=1e-14,
    last_step_gap=1e-16,
    setting="",
)
SENSITIVITY = SensitivityCheck(
    mechanisms=("iid", "dense"), largest_gap=(0.0, 1e-15), designs=2, setting=""
)
WINNERS = MomentumTable(
    momenta=(0.0, 0.5, 0.8, 0.9, 0.95),
    winners=("noisecurve", "dense", "dense", "dense", "dense"),
    margins=(0.1,) * 5,
    mechanisms=("noisecurve", "dense"),
    damage=((1.0, 1.1), *(((1.1, 1.0),) * 4)),
    blind_choice="noisecurve",
    aware_choices=("noisecurve", "dense", "dense", "dense", "dense"),
    setting="",
)


def solver_case(horizon: int, bands: int, gap: float) -> SolverCase:
    """A case in which Adam ends `gap` above L-BFGS-B."""
    return SolverCase(
        horizon=horizon,
        bands=bands,
        adam=1 + gap,
        lbfgs=1.0,
        ours=1.0,
        best_known=1.0,
        lower_bound=0.999,
        adam_smallest=0.01,
        lbfgs_smallest=0.01,
        residual=1e-16,
    )


SOLVERS = SolverCheck(
    cases=(
        solver_case(8, 2, 1e-6),
        solver_case(8, 4, 1e-6),
        solver_case(16, 2, 1e-5),
        solver_case(16, 4, 5e-5),
        solver_case(32, 2, 0.009),
        solver_case(32, 4, 0.047),
    ),
    setting="",
)


def one_slice(changes: bool, *, moved: bool = False) -> Slice:
    """A slice whose winner changes or not, and whose LR-aware ranking moves or not."""
    return Slice(
        condition_number=10.0,
        schedule="constant",
        learning_rate=0.1,
        winners=("iid", "dense") if changes else ("iid", "iid"),
        rankings=((1, 2), (2, 1) if changes else (1, 2)),
        lr_aware_rankings=((1, 2), (2, 1) if moved else (1, 2)),
    )


def some_slices(changing: int) -> tuple[Slice, ...]:
    """Nine slices, of which some change their winner."""
    return (*[one_slice(True)] * changing, *[one_slice(False)] * (9 - changing))


SLICES = SliceCount(
    slices=some_slices(7),
    momenta=(0.0, 0.9),
    rates=(0.1,),
    setting="",
)
SCHEDULES = ScheduleTable(
    schedules=("constant", "cosine", "warmup_cosine"),
    mechanisms=("dense", "banded_mean", "toeplitz_mean"),
    damage=((21.86, 22.12, 34.26), (0.58, 0.51, 0.44), (0.66, 0.58, 0.50)),
    winners=("dense", "toeplitz_mean", "toeplitz_mean"),
    elsewhere={},
    setting="",
)
QUALITY = ScoreQuality(
    conditions=30,
    pairwise=(0.58, 0.608, 0.758, 1.0),
    tau=(0.143, 0.2, 0.501, 1.0),
    regret=(0.127, 0.117, 0.201, 0.0),
    median_regret=(0.1, 0.1, 0.1, 0.0),
    top_one=(0.333, 0.333, 0.367, 1.0),
)
RANKINGS = Rankings(
    broad=QUALITY,
    narrow=QUALITY,
    held_out={
        "momentum": (0.55, 0.532, 0.608, 1.0),
        "schedule": (0.585, 0.628, 0.686, 1.0),
        "condition number": (0.683, 0.704, 0.839, 1.0),
        "BISR": (0.591, 0.591, 0.733, 1.0),
    },
    every_split={"momentum 0": (0.5, 0.5, 1.0, 1.0)},
    setting="",
    narrow_setting="",
)
CURVE = PerturbationCurve(
    kind="signed",
    sizes=(0.0, 0.25, 0.5),
    pairwise=(1.0, 1.0, 0.951),
    pairwise_error=(0.0, 0.0, 0.01),
    pairwise_told=(1.0, 1.0, 0.99),
    top_one=(1.0, 1.0, 0.844),
    regret=(0.0, 0.0, 0.0107),
)
PERTURBATION = CurvaturePerturbation(
    signed=CURVE, uniform=CURVE, conditions=45, repeats=1, seed=0, setting=""
)
CASE = CrossoverCase(
    spectrum="log",
    modes=16,
    condition_number=10.0,
    schedule="constant",
    learning_rate=0.8,
    horizon=32,
    bands=16,
    epsilon=4.0,
    delta=1e-5,
    low=0.0,
    high=0.9,
    better_at_low="noisecurve",
    better_at_high="dense",
    margin_above=0.1,
)


def simulated(gap: float = 1.0, half_width: float = 0.25) -> SimulatedGap:
    """A paired difference with its half-width."""
    return SimulatedGap(
        momentum=0.0,
        predicted="noisecurve",
        other="dense",
        gap=gap,
        half_width=half_width,
        relative=gap,
        runs=10,
    )


def validation(name: str, gap: SimulatedGap | None = None) -> Validation:
    """Twelve cases, all confirmed, or the last with another gap on one side."""
    fine = ValidatedCase(case=CASE, gaps=(simulated(), simulated()))
    last = ValidatedCase(case=CASE, gaps=(simulated(), gap or simulated()))
    return Validation(registry=name, sha256=name, cases=(*[fine] * 11, last), seed=0)


def selection(name: str) -> Selection:
    """A selection whose hash is its name."""
    return Selection(
        name=name, threshold=0.1, cases=(CASE,), qualified=2, eligible=1, clearance=0.1, sha256=name
    )


PROTOCOL = BlindProtocol(
    discovery=Discovery(
        conditions=1,
        reversals=2,
        primary=selection("primary"),
        control=selection("control"),
        setting="",
    ),
    frozen=("primary", "control"),
    primary=validation("primary"),
    control=validation("control"),
)
