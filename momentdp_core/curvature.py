"""Hessian spectra λ: the named families, a custom list, or the eigenvalues of a Hessian."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from momentdp_core.errors import (
    FloatArray,
    InputError,
    check_choice,
    check_integer,
    check_real,
    check_vector,
    read_only,
)

# A Hessian's negative eigenvalues up to this share of the largest are rounding, and become 0.
PSD_TOLERANCE = 1e-8
# More modes than this are not needed: a spectrum is described by far fewer.
LARGEST_MODES = 10_000
# Beyond this an eigenvalue solver overflows.
LARGEST_ENTRY = 1e150


@dataclass(frozen=True, kw_only=True)
class Spectrum:
    """One family of Hessian spectra: its key, its name, one line about it, and its formula."""

    key: str
    label: str
    description: str
    build: Callable[[int, float], FloatArray]


def _isotropic(modes: int, condition_number: float) -> FloatArray:
    return np.ones(modes)


def _log(modes: int, condition_number: float) -> FloatArray:
    # d = 1 has no spacing: the single mode is λ_max.
    position = np.arange(modes) / max(modes - 1, 1)
    return np.asarray(condition_number**-position)


def _spike(modes: int, condition_number: float) -> FloatArray:
    values = np.full(modes, 1 / condition_number)
    values[0] = 1.0
    return values


def _two_cluster(modes: int, condition_number: float) -> FloatArray:
    values = np.full(modes, 1 / condition_number)
    values[: (modes + 1) // 2] = 1.0
    return values


def _linear(modes: int, condition_number: float) -> FloatArray:
    if modes == 1:
        return np.ones(1)
    return np.linspace(1.0, 1 / condition_number, modes)


def _custom(modes: int, condition_number: float) -> FloatArray:
    raise AssertionError("a custom spectrum is read from its values")


_FAMILIES = (
    Spectrum(
        key="isotropic",
        label="Isotropic",
        description="All eigenvalues are 1: every direction is equally steep.",
        build=_isotropic,
    ),
    Spectrum(
        key="log",
        label="Log-spaced",
        description="Eigenvalues fall geometrically from 1 to 1/κ.",
        build=_log,
    ),
    Spectrum(
        key="spike",
        label="Spike",
        description="One steep direction at 1, all others at 1/κ.",
        build=_spike,
    ),
    Spectrum(
        key="two_cluster",
        label="Two clusters",
        description="Half of the eigenvalues at 1, the others at 1/κ.",
        build=_two_cluster,
    ),
    Spectrum(
        key="linear",
        label="Linear",
        description="Eigenvalues fall evenly from 1 to 1/κ.",
        build=_linear,
    ),
    Spectrum(
        key="custom",
        label="Custom",
        description="Your own eigenvalues, or those of your Hessian.",
        build=_custom,
    ),
)
SPECTRA: Mapping[str, Spectrum] = MappingProxyType({family.key: family for family in _FAMILIES})
# Those that have a condition number.
CONDITIONED = ("log", "spike", "two_cluster", "linear")


@dataclass(frozen=True, kw_only=True)
class Curvature:
    """The Hessian spectrum of a quadratic, as a hashable description.

    λ_i for i = 0 … d−1: isotropic 1 · log κ^(−i/(d−1)) · spike (1, 1/κ, …) · two_cluster
    (⌈d/2⌉ at 1, the rest at 1/κ) · linear from 1 to 1/κ · custom: the given values.

    Args:
        family: key of SPECTRA.
        modes: d ≥ 1, number of eigenmodes; for `custom` it is the number of values.
        condition_number: κ ≥ 1; ignored by `isotropic` and `custom`.
        values: eigenvalues ≥ 0 of a `custom` spectrum, at least one of them above 0.

    Raises:
        InputError: a value is out of its range.

    Source: MOMENT-DP (arXiv:2611.11457), Appendix D, "controlled objectives".

    >>> Curvature(family="log", modes=3, condition_number=100).eigenvalues
    array([1.  , 0.1 , 0.01])
    """

    family: str = "log"
    modes: int = 16
    condition_number: float = 100.0
    values: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_choice("spectrum", self.family, SPECTRA)
        kappa = check_real("condition_number", self.condition_number, low=1)
        object.__setattr__(self, "condition_number", kappa)
        if self.family == "custom":
            vector = check_vector("eigenvalues", self.values, low=0)
            if not vector.max() > 0:
                raise InputError(
                    "eigenvalues",
                    "all zero",
                    "at least one eigenvalue above 0",
                    "Without curvature no noise does damage; give a positive eigenvalue.",
                )
            object.__setattr__(self, "values", tuple(vector.tolist()))
            object.__setattr__(self, "modes", vector.size)
            return
        if self.values:
            raise InputError(
                "eigenvalues",
                self.values,
                f"no list with the {self.family} spectrum",
                "Choose the custom spectrum to use a list of eigenvalues.",
            )
        object.__setattr__(self, "values", ())
        modes = check_integer("modes", self.modes, low=1, high=LARGEST_MODES)
        object.__setattr__(self, "modes", modes)

    @classmethod
    def from_hessian(cls, hessian: object) -> Curvature:
        """Return the custom spectrum of a symmetric positive semidefinite Hessian.

        λ = eig(H), largest first; negative values down to −1e-8 λ_max count as rounding and
        become 0.

        Args:
            hessian: (d, d) symmetric matrix.

        Raises:
            InputError: not a square finite matrix, not symmetric, or not positive semidefinite.

        Source: MOMENT-DP (arXiv:2611.11457), Section 2.2 (everything separates by eigenmode).

        >>> Curvature.from_hessian([[2.0, 0.0], [0.0, 1.0]]).values
        (2.0, 1.0)
        """
        remedy = "Give the Hessian as d rows of d numbers."
        try:
            given = np.asarray(hessian)
            if given.dtype.kind == "c":
                raise InputError("hessian", "complex numbers", "real numbers", remedy)
            matrix = np.array(given, dtype=np.float64)
        except InputError:
            raise
        except (TypeError, ValueError):
            raise InputError("hessian", hessian, "a square matrix of numbers", remedy) from None
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.size == 0:
            raise InputError(
                "hessian", f"shape {matrix.shape}", "a square matrix of numbers", remedy
            )
        if not np.isfinite(matrix).all():
            raise InputError("hessian", "NaN or infinity inside", "finite numbers", remedy)
        scale = float(np.abs(matrix).max())
        if scale > LARGEST_ENTRY:
            raise InputError(
                "hessian",
                f"an entry of size {scale:.3g}",
                f"entries of at most {LARGEST_ENTRY:g}",
                "Rescale it: only the ratios of the eigenvalues matter.",
            )
        gap = float(np.abs(matrix - matrix.T).max())
        if gap > PSD_TOLERANCE * scale:
            raise InputError(
                "hessian",
                f"asymmetric by {gap:.3g}",
                f"a symmetric matrix (up to {PSD_TOLERANCE:g} of its largest entry)",
                "Give (H + Hᵀ)/2 if the difference is only noise.",
            )
        values = np.linalg.eigvalsh((matrix + matrix.T) / 2)[::-1]
        if values[-1] < -PSD_TOLERANCE * max(values[0], scale):
            raise InputError(
                "hessian",
                f"smallest eigenvalue {values[-1]:.6g}",
                "a positive semidefinite matrix",
                "Use a Hessian at a minimum, or a Gauss-Newton or Fisher matrix.",
            )
        return cls(family="custom", values=tuple(np.maximum(values, 0.0).tolist()))

    @cached_property
    def eigenvalues(self) -> FloatArray:
        """λ as a read-only vector of length d."""
        if self.family == "custom":
            return read_only(np.array(self.values))
        return read_only(SPECTRA[self.family].build(self.modes, self.condition_number))

    @property
    def largest(self) -> float:
        """λ_max, by which the peak learning rate is scaled."""
        return float(self.eigenvalues.max())
