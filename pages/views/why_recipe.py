"""The texts that "Why it flips" and "Mechanisms" let a reader take away: caption, code, command."""

from __future__ import annotations

from dataclasses import replace

from momentdp_core import Scenario
from pages.views import recipe, words
from pages.views.why_charts import LAGS

_WHY = """value = {value}
at = study.at(value)
damage = dict(zip(study.mechanisms, study.damage[:, at].tolist(), strict=True))
a, b = {pair}
print(a, damage[a])
print(b, damage[b])
pair = replace(scenario, mechanisms=(a, b))
covariance = noise_autocovariance(pair, {lags})
noise = sample_noise(pair, {seed})
if study.winners[at]:  # stable: the other charts are empty where it is not
    response = impulse_response(pair, [value])[0]
    spectrum = frequency_view(pair, value)
    by_mode = damage_by_mode(scenario, [value])[:, 0]
    for key, parts in zip(scenario.mechanisms, by_mode, strict=True):
        print(key, "by mode:", *parts)
    print(explain_pair(scenario, value, a, b))
"""
_WHY_NAMES = (
    *("damage_by_mode", "evaluate", "explain_pair", "frequency_view", "impulse_response"),
    *("noise_autocovariance", "sample_noise"),
)
_MECHANISMS = """at = study.at({value})
for row, key in enumerate(study.mechanisms):
    mechanism, scale = scenario.design(key), scenario.sensitivity(key).value ** 2
    errors = scale * mechanism.mean_squared_error, scale * mechanism.max_squared_error
    print(key, study.damage[row, at], *errors)
shown = scenario.design({key!r})
matrices = shown.strategy_matrix(), shown.noising_matrix(), shown.covariance
"""


def why_setting(scenario: Scenario, first: str, second: str | None, seed: int) -> recipe.Setting:
    """Return the texts about two mechanisms at the swept value.

    The program makes what the charts show; the command prints the damages of the pair.

    Args:
        scenario: with both mechanisms among those compared.
        first: key of a.
        second: key of b; None for the best other one at the swept value.
        seed: of the sample.
    """
    others = "min((key for key in damage if key != {a!r}), key=damage.__getitem__)"
    pair = f"{first!r}, {second!r}" if second else f"{first!r}, {others.format(a=first)}"
    body = _WHY.format(value=recipe.VALUE, pair=pair, lags=LAGS, seed=seed)
    compared = scenario if second is None else replace(scenario, mechanisms=(first, second))
    who = "the best other mechanism" if second is None else words.name(second)
    return recipe.Setting(
        caption=f"{words.name(first)} and {who}. {recipe.caption(scenario)}",
        python="from dataclasses import replace\n\n"
        f"{recipe.opening(scenario, *_WHY_NAMES)}{recipe.studied(scenario)}{body}",
        command=_at_value(compared),
    )


def mechanisms_setting(scenario: Scenario, key: str, largest: float) -> recipe.Setting:
    """Return the texts about the mechanisms of a scenario, one of them with its matrices.

    Args:
        scenario: with the mechanism among those compared.
        key: whose matrices are shown.
        largest: size of the entry at the ends of the colours.
    """
    end = words.short(largest)
    body = _MECHANISMS.format(value=recipe.VALUE, key=key)
    return recipe.Setting(
        caption=f"{words.name(key)}; colours from −{end}, blue, over 0 to {end}, red. "
        f"{recipe.caption(scenario)}",
        python=f"{recipe.opening(scenario, 'evaluate')}{recipe.studied(scenario)}{body}",
        command=_at_value(scenario),
    )


def _at_value(scenario: Scenario) -> str:
    """Return the command that prints the damages at the swept value, which is filled in later."""
    command = recipe.evaluate_command(scenario, {"values": recipe.VALUE})
    return command.replace(f"'{recipe.VALUE}'", recipe.VALUE)
