"""The claims about private logistic regression: M25 to M32."""

from __future__ import annotations

from typing import Any

from momentdp_core.experiments.logistic_evidence import logistic_evidence
from momentdp_core.experiments.logistic_judges import (
    judge_accuracy,
    judge_curvature,
    judge_kendall,
    judge_loss,
    judge_rank,
    judge_regret,
    judge_top_one,
)
from momentdp_core.experiments.verdicts import MOMENT_DP, STATISTICAL, Claim, Experiment

STUDY = "logistic"

EXPERIMENTS = (
    Experiment(
        key=STUDY,
        title="Private logistic regression",
        run=lambda seed, tell: logistic_evidence(seed, tell=tell),
        long=True,
    ),
)


def _claim(
    id: str, statement: str, place: str, published: str, judge: Any, *values: float
) -> Claim:
    return Claim(
        id=id,
        statement=statement,
        source=MOMENT_DP + place,
        published=published,
        published_values=values,
        kind=STATISTICAL,
        study=STUDY,
        judge=judge,
    )


CLAIMS = (
    _claim(
        "M25",
        "NoiseCurve's rank in private logistic regression under L0 to L3",
        "Table 2",
        "2/9, 9/9, 9/9, 9/9",
        judge_rank,
        *(2.0, 9.0, 9.0, 9.0),
    ),
    _claim(
        "M26",
        "NoiseCurve's excess loss under L0 to L3, mean ± standard error",
        "Table 2",
        "0.00505±0.00015 / 0.10590±0.00487 / 0.01048±0.00039 / 0.00999±0.00043",
        judge_loss,
        *(0.00505, 0.10590, 0.01048, 0.00999),
    ),
    _claim(
        "M27",
        "The best mechanism's excess loss under L0 to L3, mean ± standard error",
        "Table 2",
        "0.00497±0.00017 / 0.08390±0.00242 / 0.00840±0.00023 / 0.00785±0.00021",
        judge_loss,
        *(0.00497, 0.08390, 0.00840, 0.00785),
    ),
    _claim(
        "M28",
        "Accuracy over resolved pairs: static, optimizer-aware",
        "Appendix F.6",
        "91.8 / 95.1 % over 61 pairs",
        judge_accuracy,
        *(91.8, 95.1),
    ),
    _claim(
        "M29",
        "Mean relative selection regret: static, optimizer-aware",
        "Appendix F.6",
        "4.41 / 3.53 %",
        judge_regret,
        *(4.41, 3.53),
    ),
    _claim(
        "M30",
        "Top-1 agreement: static, optimizer-aware",
        "Appendix F.6",
        "44.4 / 44.4 %",
        judge_top_one,
        *(44.4, 44.4),
    ),
    _claim(
        "M31",
        "Curvature of 500 examples against all: eigenvalue discrepancy, and what it changes",
        "Appendix F.4",
        "10.5 %; top-1 unchanged in 4 of 4; whole order in 3 of 4",
        judge_curvature,
        *(10.5, 4.0, 3.0),
    ),
    _claim(
        "M32",
        "Kendall's τ of the prediction with the observed order under L0 to L3",
        "Appendix F.4",
        "0.389 / 0.556 / 0.444 / 0.333",
        judge_kendall,
        *(0.389, 0.556, 0.444, 0.333),
    ),
)
