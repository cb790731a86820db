"""Links and pasted input: what is accepted, what is reported, and that nothing is executed."""

from __future__ import annotations

import doctest
import io
from types import ModuleType

import numpy as np
import pytest

from momentdp_core import InputError
from pages.figures import parts, why_parts
from pages.ui import parse, url_state
from pages.ui.presets import PRESETS
from pages.ui.url_state import PARAMETERS, problems, snap
from pages.views import why, words
from pages.views.swept import SWEPT

MOMENTA = SWEPT["heavy_ball"].values


@pytest.mark.parametrize(
    "module", [parts, why_parts, parse, url_state, why, words], ids=lambda m: m.__name__
)
def test_examples_in_the_docstrings_hold(module: ModuleType) -> None:
    """The doctests of the pure modules pass (pages cannot be imported outside a server)."""
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"v": ["1"], "mu": ["0.5"], "rate": ["0.8"], "T": ["64"], "schedule": ["cosine"]},
        {"mech": ["noisecurve,dense"], "axis": ["steps"], "delta": ["1e-5"]},
        {"mech": ["none"]},
        {"mu": ["0.12345"]},
        {"spectrum": ["custom"], "lam": ["1, 0.5"]},
    ],
)
def test_good_links_are_silent(query: dict[str, list[str]]) -> None:
    """A link that the page itself may have written, or a value between stops, is no problem."""
    assert problems(query) == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("mu", "two"), ("mu", "nan"), ("mu", "inf"), ("mu", "1"), ("mu", "-0.1"), ("mu", ""),
        ("rate", "0.81"), ("T", "100"), ("T", "1_28"), ("rate", "nan"), ("d", "0"),
        ("d", "3.5"), ("b", "65"),
        ("schedule", "nope"), ("mech", "iid,nope"), ("mech", ""), ("axis", "x"), ("v", "2"),
        ("lam", "1," * 10_000), ("unknown", "1"),
    ],
)  # fmt: skip
def test_nonsense_names_the_parameter(name: str, text: str) -> None:
    """Each unusable parameter gives one line that starts with its name."""
    (line,) = problems({name: [text]})
    assert line.startswith(f"{name}:")


def test_repeated_parameter_is_reported() -> None:
    """Two values for one parameter are not silently reduced to one of them, whatever it is."""
    for name in ("mu", "rate", "schedule", "lam", "mech", "own", "pin"):
        assert problems({name: ["1", "1"]}) == (
            f"{name}: given 2 times, and so left out; give it once.",
        )


NUMERIC = [
    (parameter.name, option)
    for parameter in PARAMETERS.values()
    if not parameter.switch and not parameter.many
    for option in parameter.options
    if url_state.text(parameter.name, option)[0].isdigit()
]


@pytest.mark.parametrize(("name", "option"), NUMERIC, ids=lambda part: str(part))
def test_a_stop_is_accepted_in_any_spelling(name: str, option: object) -> None:
    """As the control writes it, with and without decimals, and with an exponent."""
    number = float(str(option))
    spellings = {str(option), repr(number), f"{number:e}", f"{number:.12f}", f"+{number!r}"}
    if number == int(number):
        spellings |= {str(int(number)), f"{int(number)}.", f"{int(number)}.00", f"{int(number)}E0"}
    for text in spellings:
        assert problems({name: [text]}) == ()
        assert url_state.value(name, text) == option
        assert type(url_state.value(name, text)) is type(option)


@pytest.mark.parametrize("name", sorted({name for name, _ in NUMERIC}))
def test_a_number_beside_the_stops_is_refused(name: str) -> None:
    """Near is not equal, and what only Python reads as a number is none."""
    (option, *_) = (option for known, option in NUMERIC if known == name and float(str(option)))
    for text in (repr(float(str(option)) * 1.0001), f"{option}_0", f" {option}", "inf", "0x1"):
        assert len(problems({name: [text]})) == 1


@pytest.mark.parametrize("name", ["<script>", "a b", "x" * 50, "mu\n", "*bold*"])
def test_markup_in_a_link_is_never_repeated(name: str) -> None:
    """Neither a strange name nor any value of a link appears in what the page shows."""
    (line,) = problems({name: ["<img src=x>"]})
    assert name not in line
    assert "img" not in line


@pytest.mark.parametrize("momentum", [0.0, 0.29, 0.57, 0.12345, 0.99])
def test_snapped_momenta_are_on_the_grid(momentum: float) -> None:
    """A snapped momentum is the very float of the study's grid."""
    assert np.abs(MOMENTA - snap("mu", momentum)).min() == 0


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.key)
def test_presets_are_reachable_states(preset: object) -> None:
    """Every value of a preset is a stop of its control, so that its link opens again."""
    query = {name: [str(value)] for name, value in preset.values.items()}  # type: ignore[attr-defined]
    assert problems(query) == ()


def test_defaults_are_stops() -> None:
    """Each default is a value that its parameter accepts."""
    for parameter in PARAMETERS.values():
        value = url_state.text(parameter.name, parameter.default)
        assert parameter.accepts([value]), parameter.name


@pytest.mark.parametrize("text", ["1, 0.5, 0.25", "1;0.5;0.25", "[1 0.5\n0.25]", " 1\t0.5,\n0.25 "])
def test_lists_may_be_separated_in_any_usual_way(text: str) -> None:
    """Commas, semicolons, spaces, tabs, new lines and brackets are all understood."""
    assert parse.numbers(text, "eigenvalues") == (1.0, 0.5, 0.25)


@pytest.mark.parametrize(("text", "what"), [("", "empty"), ("1, x", "entry 2"), ("  ", "empty")])
def test_bad_lists_say_where(text: str, what: str) -> None:
    """An unreadable list names the entry, so that it can be found."""
    with pytest.raises(InputError, match=what):
        parse.numbers(text, "eigenvalues")


def npy(matrix: object, **options: bool) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(matrix), **options)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [("h.npy", npy([[2.0, 0.0], [0.0, 1.0]])), ("h.csv", b"2,0\n0,1\n"), ("H.CSV", b"2 0\r\n0 1")],
)
def test_hessian_files_give_their_eigenvalues(name: str, content: bytes) -> None:
    """A Hessian of either kind of file becomes its eigenvalues, largest first."""
    assert parse.hessian_file(name, content).values == (2.0, 1.0)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("h.csv", b"", "0 bytes"),
        ("h.npy", b"", "0 bytes"),
        ("h.npy", b"nonsense", "unreadable"),
        ("h.npy", npy(np.array([{}], dtype=object), allow_pickle=True), "unreadable"),
        ("h.csv", b"\xff\xfe\x00", "not text"),
        ("h.csv", b"1,2\n3\n", "different length"),
        ("h.csv", b"1,2,3\n4,5,6\n", "square"),
        ("h.csv", b"1,5\n0,1\n", "asymmetric"),
        ("h.csv", b"1,0\n0,-1\n", "positive semidefinite"),
        ("h.npy", npy(np.eye(65)), "65 rows"),
        ("h.npy", npy(np.array(["a"])), "."),
        ("h.npy", npy(np.eye(2)).replace(b"(2, 2), ", b"(9" + b"9" * 15 + b", 9), "), "unreadable"),
    ],
)
def test_bad_hessians_are_explained(name: str, content: bytes, what: str) -> None:
    """Every unusable file gives one clear sentence; a pickled object is never loaded."""
    with pytest.raises(InputError, match=what):
        parse.hessian_file(name, content)


@pytest.mark.parametrize(
    "text",
    ["2 0.5\n0.5 1", "[[2, 0.5], [0.5, 1]]", "[[2. 0.5]\n [0.5 1. ]]", "2 0.5; 0.5 1",
     "first,second\n2,0.5\n0.5,1"],
)  # fmt: skip
def test_a_hessian_is_read_as_people_write_it(text: str) -> None:
    """Rows as lines, as NumPy or JSON print them, between semicolons, or under column names."""
    values = parse.hessian_text(text).values
    np.testing.assert_allclose(values, np.linalg.eigvalsh([[2, 0.5], [0.5, 1]])[::-1])
