"""A designed mechanism as jax_privacy's gradient privatizer.

    python -m momentdp_core design --momentum 0.9 --bands 16 --out design.npz
    python examples/train_jax_privacy.py design.npz

Needs jax_privacy and NumPy, not momentdp. A banded design becomes a `StreamingMatrix` that keeps b
tensors a parameter; a full one is handed over as the matrix C⁻¹.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax_privacy import noise_addition
from jax_privacy.matrix_factorization import banded


def noising_matrix(path: str) -> tuple[Any, dict[str, Any]]:
    """Return C⁻¹ as jax_privacy takes it, and the header of the design file."""
    with np.load(path, allow_pickle=False) as file:
        header, arrays = json.loads(str(file["header"])), {name: file[name] for name in file.files}
    if (header["format"], header["version"]) != ("momentdp-design", 1):
        raise ValueError("not a design file of version 1")
    if header["structure"] == "banded":
        # Row j of its parameters is column j of C from the diagonal down; our columns have norm 1.
        columns = banded.ColumnNormalizedBanded(params=jnp.asarray(arrays["strategy"].T))
        return columns.inverse_as_streaming_matrix(), header
    if header["structure"] == "dense":
        return jnp.asarray(arrays["noising"]), header
    raise ValueError("jax_privacy's own toeplitz module takes these coefficients")


def privatizer(path: str, clip: float = 1.0, seed: int = 0) -> Any:
    """Return an optax transformation that adds the design's noise to sums of clipped gradients."""
    matrix, header = noising_matrix(path)
    scale = header["noise_multiplier"] * header["sensitivity"]["value"]
    return noise_addition.matrix_factorization_privatizer(
        matrix, stddev=clip * scale, prng_key=seed
    )


if __name__ == "__main__":
    noise = privatizer(sys.argv[1])
    gradient = {"weights": jnp.zeros(4)}
    state = noise.init(gradient)
    for _ in range(3):
        noisy, state = noise.update(gradient, state)
        print(jax.tree.map(np.asarray, noisy))
