"""What a command line would leave unread is refused, with the family or design that reads it."""

from __future__ import annotations

import pytest

from momentdp_core import SCHEDULES, SPECTRA
from momentdp_core.__main__ import main
from momentdp_core.curvature import CONDITIONED
from momentdp_core.scenario_options import SCHEDULE_PARAMETERS

BASE = "evaluate --horizon 4 --values 0.5 --mechanisms iid --format json "


@pytest.mark.parametrize("family", [key for key in SCHEDULES if key != "custom"])
@pytest.mark.parametrize("name", [name for name, _, _ in SCHEDULE_PARAMETERS])
def test_a_schedule_takes_what_it_reads_and_nothing_else(capsys, family, name):
    """Exit code 2 and the readers by name where it is not read; accepted where it is."""
    option = "--" + name.replace("_", "-")
    value = "2" if name == "step_stages" else "0.5"
    code = main(f"{BASE}--schedule {family} {option} {value}".split())
    said = capsys.readouterr().err
    readers = [key for key, known in SCHEDULES.items() if name in known.parameters]
    if family in readers:
        assert (code, said) == (0, "")
    else:
        assert code == 2
        assert f"{name} = " in said
        assert all(f"the schedule {key}" in said for key in (family, *readers))


@pytest.mark.parametrize("family", [key for key in SPECTRA if key != "custom"])
def test_a_spectrum_takes_a_condition_number_where_it_has_one(capsys, family):
    """The isotropic spectrum has none, and its refusal names those that do."""
    code = main(f"{BASE}--spectrum {family} --condition-number 7".split())
    said = capsys.readouterr().err
    if family == "isotropic":
        assert code == 2
        assert all(f"the spectrum {key}" in said for key in (family, *CONDITIONED))
    else:
        assert (code, said) == (0, "")


def test_given_eigenvalues_have_no_condition_number(capsys):
    """A list of eigenvalues says it all."""
    assert main(f"{BASE}--eigenvalues 1 0.1 --condition-number 10".split()) == 2
    assert "the spectrum custom" in capsys.readouterr().err


@pytest.mark.parametrize("key", ["lp_dpsgd", "dp_pmlf"])
@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("order=2", False),
        ("design=first_order order=1", False),
        ("design=butterworth order=2", True),
        ("design=butterworth", True),
        ("design=first_order", True),
    ],
    ids=["default", "first order", "butterworth", "its default", "no order"],
)
def test_a_filter_takes_an_order_where_its_design_has_one(capsys, key, text, good):
    """A first-order filter has no order to choose."""
    code = main(f"{BASE}--optimizer {key} --optimizer-param {text}".split())
    said = capsys.readouterr().err
    assert code == (0 if good else 2)
    assert ("design=butterworth" in said) is not good


def test_an_unknown_family_is_said_first(capsys):
    """What does not exist is not accused of leaving something unread."""
    assert main(f"{BASE}--schedule cubic --front-end 0.5".split()) == 2
    assert "cubic" in capsys.readouterr().err


def test_a_single_participation_has_no_distance(capsys):
    """How far apart its steps are is asked only of an example that takes part again."""
    assert main(f"{BASE}--min-separation 2".split()) == 2
    assert "--participations 2 or more" in capsys.readouterr().err
    assert main(f"{BASE}--min-separation 2 --participations 2".split()) == 0
    assert main(f"{BASE}--min-separation 1".split()) == 0
