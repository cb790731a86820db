"""Private training in plain PyTorch with a designed mechanism: clip, add the rows of C⁻¹Z, step.

    python -m momentdp_core design --momentum 0.9 --bands 16 --out design.npz
    python examples/train_pytorch.py design.npz

Needs NumPy and PyTorch only, not momentdp. For a banded design the noise of a step comes from the
b − 1 steps before it: y_t = (z_t − Σ_{0<k<b} C[t, t−k] y_{t−k}) / C[t, t].

With Opacus, keep its `DPOptimizer` and replace its independent noise:

    class CorrelatedOptimizer(DPOptimizer):
        def add_noise(self):
            for p, stream in zip(self.params, self.streams):
                p.grad = p.summed_grad + self.max_grad_norm * stream.next().view_as(p)

with one `NoiseStream` a parameter. The design's steps and batches must be those of the training:
its privacy holds for one pass over the data (or for the participation it was made for), and not
for Opacus's own accountant of independent noise.
"""

from __future__ import annotations

import json
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np


class NoiseStream:
    """The step noise of one parameter tensor, σ·sensitivity times row t of C⁻¹Z, step by step.

    It keeps b − 1 tensors for a banded design and all of them for a full one.

    Args:
        path: the design file.
        draw: returns fresh standard normal noise of the parameter's shape (NumPy or PyTorch).
    """

    def __init__(self, path: str, draw: Callable[[], Any]) -> None:
        with np.load(path, allow_pickle=False) as file:
            header, strategy = json.loads(str(file["header"])), file["strategy"]
        if (header["format"], header["version"]) != ("momentdp-design", 1):
            raise ValueError("not a design file of version 1")
        self.horizon = header["horizon"]
        self.scale = header["noise_multiplier"] * header["sensitivity"]["value"]
        self.columns = _columns(header["structure"], strategy, self.horizon)
        self.draw = draw
        self.step = 0
        self.past: deque[Any] = deque(maxlen=len(self.columns) - 1)  # y_{t−1}, y_{t−2}, …

    def next(self) -> Any:
        """Return the noise of the next step, for gradients clipped to norm 1."""
        if self.step >= self.horizon:
            raise ValueError(f"the design is for {self.horizon} steps")
        noise = self.draw()
        for k, before in enumerate(self.past, start=1):
            noise = noise - float(self.columns[k, self.step - k]) * before
        noise = noise / float(self.columns[0, self.step])
        self.past.appendleft(noise)
        self.step += 1
        return self.scale * noise


def _columns(structure: str, strategy: np.ndarray, horizon: int) -> np.ndarray:
    """Return C with columns[k, j] = C[j+k, j], whatever way the file stores it."""
    if structure == "banded":
        return strategy
    if structure == "toeplitz":
        return np.repeat(strategy[:, None], horizon, axis=1)
    columns = np.zeros((horizon, horizon))
    for k in range(horizon):
        columns[k, : horizon - k] = np.diagonal(strategy, -k)
    return columns


def train(path: str, seed: int = 0, clip: float = 1.0, momentum: float = 0.9) -> float:
    """Fit a small linear model privately and return its last loss."""
    import torch
    from torch.func import functional_call, grad, vmap

    torch.manual_seed(seed)
    model = torch.nn.Linear(8, 1)
    streams = {
        name: NoiseStream(path, lambda p=p: torch.randn_like(p))  # type: ignore[misc]
        for name, p in model.named_parameters()
    }
    steps = next(iter(streams.values())).horizon
    batch = 32
    inputs = torch.randn(steps * batch, 8)
    targets = inputs.sum(dim=1, keepdim=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=momentum)

    def loss(parameters: Any, x: Any, y: Any) -> Any:
        return ((functional_call(model, parameters, (x,)) - y) ** 2).mean()

    for t in range(steps):  # every example takes part once
        part = slice(t * batch, (t + 1) * batch)
        parameters = {name: p.detach() for name, p in model.named_parameters()}
        grads = vmap(grad(loss), (None, 0, 0))(parameters, inputs[part], targets[part])
        norms = sum(g.flatten(1).square().sum(dim=1) for g in grads.values()).sqrt()
        share = (clip / norms).clamp(max=1.0)
        for name, p in model.named_parameters():
            summed = torch.einsum("n,n...->...", share, grads[name])
            p.grad = (summed + clip * streams[name].next()) / batch
        optimizer.step()
    return float(loss(dict(model.named_parameters()), inputs, targets))


if __name__ == "__main__":
    print(f"loss after training: {train(sys.argv[1]):.4f}")
