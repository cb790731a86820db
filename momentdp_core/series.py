"""Power series modulo x^T: the algebra of lower-triangular Toeplitz matrices.

A lower-triangular Toeplitz matrix with first column c_0 … c_{T−1} multiplies like the series
c(x) = Σ c_k x^k, so its inverse and square root are those of the series, found here without any
T×T matrix. Coefficients that leave the numbers' range become inf or NaN without a warning; who
uses them must look.
"""

from __future__ import annotations

import numpy as np

from momentdp_core.errors import FloatArray

# Below this length the O(T²) recurrence is used: as fast as Newton, and exact to rounding.
RECURRENCE_LENGTH = 2048


def multiply(left: FloatArray, right: FloatArray, length: int) -> FloatArray:
    """Return the product of two series, (l·r)_k = Σ_j l_j r_{k−j}, to `length` terms.

    >>> multiply(np.array([1.0, 1.0]), np.array([1.0, -1.0]), 3)
    array([ 1.,  0., -1.])
    """
    size = min(length, len(left) + len(right) - 1)
    if min(len(left), len(right)) <= 64:
        product = np.convolve(left, right)[:size]
    else:
        points = 1 << (len(left) + len(right) - 2).bit_length()
        spectrum = np.fft.rfft(left, points) * np.fft.rfft(right, points)
        product = np.fft.irfft(spectrum, points)[:size]
    return pad(product, length)


def pad(series: FloatArray, length: int) -> FloatArray:
    """Return the first `length` coefficients of `series`, with zeros after its end.

    >>> pad(np.array([1.0, 2.0]), 3)
    array([1., 2., 0.])
    """
    out = np.zeros(length)
    kept = min(length, len(series))
    out[:kept] = series[:kept]
    return out


def inverse(series: FloatArray, length: int) -> FloatArray:
    """Return y with c·y = 1 to `length` terms: y_0 = 1/c_0, y_k = −Σ_{j≥1} c_j y_{k−j} / c_0.

    Newton's step y ← y(2 − c y) doubles the length beyond RECURRENCE_LENGTH.

    >>> inverse(np.array([1.0, -1.0]), 4)
    array([1., 1., 1., 1.])
    """
    start = min(length, RECURRENCE_LENGTH)
    y = np.zeros(start)
    width = len(series) - 1
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        y[0] = 1 / series[0]
        for k in range(1, start):
            reach = min(k, width)
            if reach:
                y[k] = -np.dot(series[1 : reach + 1], y[k - reach : k][::-1]) / series[0]
        while len(y) < length:
            size = min(2 * len(y), length)
            correction = -multiply(series[:size], y, size)
            correction[0] += 2
            y = multiply(y, correction, size)
    return y


def square_root(series: FloatArray, length: int) -> FloatArray:
    """Return r with r·r = c and r_0 > 0 to `length` terms: 2 r_0 r_k = c_k − Σ_{0<j<k} r_j r_{k−j}.

    Newton's step r ← (r + c/r)/2 doubles the length beyond RECURRENCE_LENGTH. Needs c_0 > 0.

    >>> square_root(np.ones(4), 4)
    array([1.    , 0.5   , 0.375 , 0.3125])
    """
    series = pad(series, length)
    start = min(length, RECURRENCE_LENGTH)
    root = np.zeros(start)
    root[0] = np.sqrt(series[0])
    with np.errstate(over="ignore", invalid="ignore"):
        for k in range(1, start):
            cross = np.dot(root[1:k], root[k - 1 : 0 : -1])
            root[k] = (series[k] - cross) / (2 * root[0])
        while len(root) < length:
            size = min(2 * len(root), length)
            quotient = multiply(series[:size], inverse(pad(root, size), size), size)
            root = (pad(root, size) + quotient) / 2
    return root


def inverse_square_root_of_sum(length: int) -> FloatArray:
    """Return the coefficients of (1−x)^½, the noising series of the square-root mechanism.

    1, −1/2, −1/8, −1/16, …: a_k = a_{k−1} (2k−3)/(2k).

    >>> inverse_square_root_of_sum(4)
    array([ 1.    , -0.5   , -0.125 , -0.0625])
    """
    k = np.arange(1, length)
    return np.concatenate([[1.0], np.cumprod((2 * k - 3) / (2 * k))])


def square_root_of_sum(length: int) -> FloatArray:
    """Return the coefficients of (1−x)^−½, the square root of the prefix sum.

    r_k = Π_{j≤k} (2j−1)/(2j).

    >>> square_root_of_sum(4)
    array([1.    , 0.5   , 0.375 , 0.3125])
    """
    k = np.arange(1, length)
    return np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))])
