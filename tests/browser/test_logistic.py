"""“Logistic” in a real browser: a file larger than the server's usual limit is trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.browser


def test_a_file_of_three_megabytes_is_trained_on(page: Any) -> None:
    """The upload is taken, training shows its progress and its charts without another click."""
    x = np.random.default_rng(0).standard_normal((20_000, 15))
    table = np.column_stack([x, x[:, 0] > 0])
    text = "\n".join(",".join(f"{value:.6f}" for value in row) for row in table)
    assert len(text) > 2.5e6
    page.goto("logistic?reps=5&solver=solved")
    page.locator(".st-key-logistic_data button", has_text="Your own data").press("Enter")
    file = {"name": "rows.csv", "mimeType": "text/csv", "buffer": text.encode()}
    page.locator("[data-testid=stMain] input[type=file]").set_input_files(file)
    page.get_by_role("button", name="Train on this file").press("Enter")
    page.get_by_text("Nothing was published about these data").wait_for(timeout=120_000)
    assert page.locator("[data-testid=stAlertContentError]").count() == 0
