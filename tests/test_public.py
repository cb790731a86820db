"""The public surface: every name resolves, and every function explains itself."""

from __future__ import annotations

import inspect

import pytest

import momentdp_core
from momentdp_core import _HOME, OPTIMIZERS, HeavyBall, Scenario

FUNCTIONS = [
    name for name in momentdp_core.__all__ if inspect.isfunction(getattr(momentdp_core, name))
]


def test_every_public_name_resolves_and_is_listed_once():
    """__all__ and the table of homes name the same things, and each can be imported."""
    homes = [name for names in _HOME.values() for name in names]
    assert sorted(homes) == sorted(momentdp_core.__all__) == sorted(set(homes))
    for name in homes:
        assert getattr(momentdp_core, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        momentdp_core.nonsense  # noqa: B018


def test_no_public_name_is_hidden_by_a_module():
    """No exported name is also a submodule, which importing that module would put in its place."""
    assert not set(momentdp_core.__all__) & set(_HOME)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_has_a_sentence_and_a_doctest(name):
    """The docstring starts with one sentence and holds an example that runs."""
    text = inspect.getdoc(getattr(momentdp_core, name))
    first = text.split("\n\n")[0]
    assert first.endswith((".", ":"))
    assert ">>>" in text


def test_optimizers_are_entries():
    """An optimizer is found by its key, names what is swept, and is written with its name."""
    assert OPTIMIZERS["heavy_ball"] is HeavyBall
    assert HeavyBall().parameter == "momentum"
    assert Scenario().optimizer == HeavyBall()
    assert Scenario().to_dict()["optimizer"] == {"name": "heavy_ball"}
