"""P4 and P5 at other settings: each reading is the study at that setting, and says what is sure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.stats import ttest_rel

from momentdp_core.experiments.logistic_data import paper_problem
from momentdp_core.experiments.pmlf import PmlfSettings, filter_ablation, method_ordering
from momentdp_core.experiments.pmlf_readings import (
    READ_EPSILONS,
    filter_readings,
    order_readings,
)

SMALL = paper_problem(3, dimension=4, rows=96, horizon=12, calibration_rows=20)
FEW = PmlfSettings(replicates=6)


def test_an_order_reading_is_the_study_at_its_setting():
    """Cutoff, window and clipping threshold are the told ones; sure is a one-sided interval."""
    read = order_readings(
        SMALL, FEW, cutoffs=[0.1, 0.5], windows=[1, 4], clipping=[0.3], rates=[0.1, 1.0]
    )
    told = [(r.cutoff, r.window, r.clipping) for r in read]
    assert told == [(0.1, 1, 0.3), (0.1, 4, 0.3), (0.5, 1, 0.3), (0.5, 4, 0.3)]
    tight = replace(SMALL, threshold=0.3 * SMALL.threshold)
    study = method_ordering(tight, replace(FEW, cutoff=0.5), rates=[0.1, 1.0])
    assert read[3].orders == (study.order("tuned", 0), study.order("tuned", 1))
    for place, sure in enumerate(read[3].sure):
        one, other = (study.tuned[:, place, study.methods.index(k)] for k in ("dp_pmlf", "dpsgd"))
        # The upper end of the two-sided 95 % interval is that of a one-sided test at 2.5 %.
        assert sure == (ttest_rel(one, other, alternative="less").pvalue < 0.025)


def test_a_filter_reading_is_the_ablation_at_its_setting():
    """With and without normalisation at each cutoff and rate; sure needs both ends."""
    read = filter_readings(SMALL, FEW, cutoffs=[0.05], rates=[0.1, 0.5])
    assert [(r.rate, r.normalise) for r in read] == [
        (0.1, True), (0.1, False), (0.5, True), (0.5, False)
    ]  # fmt: skip
    for reading in read:
        asked = replace(FEW, cutoff=0.05, normalise=reading.normalise)
        study = filter_ablation(SMALL, asked, rate=reading.rate, epsilons=READ_EPSILONS)
        assert reading.crossover == study.crossover
        ends = np.abs(study.difference[[0, -1]]) > study.half_width[[0, -1]]
        signs = np.sign(study.difference[[0, -1]]).tolist()
        assert reading.sure == (bool(ends.all()) and signs == [-1.0, 1.0])
