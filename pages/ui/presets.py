"""Four places to start from, each a full state of the study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, kw_only=True)
class Preset:
    """A named case: one sentence on what it shows, and the parameters that differ from default."""

    key: str
    label: str
    sentence: str
    values: Mapping[str, Any]


PRESETS: Final = (
    Preset(
        key="home",
        label="NoiseCurve's home",
        sentence="Plain SGD at a constant rate, the case NoiseCurve was designed for: it wins.",
        values={"mu": 0.0, "kappa": 10, "rate": 0.8, "schedule": "constant"},
    ),
    Preset(
        key="flip",
        label="Momentum flips the winner (Table 1)",
        sentence="The same problem with momentum 0.9: Dense MF wins, NoiseCurve comes last. "
        "Table 1 of the MOMENT-DP paper.",
        values={"mu": 0.9, "kappa": 10, "rate": 0.8, "schedule": "constant"},
    ),
    Preset(
        key="flip-back",
        label="The schedule flips it back (E.2)",
        sentence="On a harder problem a rate that decays to zero takes the lead from Dense MF "
        "again: a Toeplitz mechanism wins. Appendix E.2 of the paper.",
        values={"mu": 0.9, "kappa": 100, "rate": 0.8, "schedule": "cosine"},
    ),
    Preset(
        key="small",
        label="Small steps",
        sentence="Momentum 0.9 with an eighth of the learning rate.",
        values={"mu": 0.9, "kappa": 10, "rate": 0.1, "schedule": "constant"},
    ),
)
