"""The README is code too: its example runs, its list and its commands are the real ones."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import momentdp_core

ROOT = Path(__file__).resolve().parents[1]

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OUTPUT_FENCES = {"", "text", "output", "console"}


def readme() -> str:
    """Return the README's text."""
    return (ROOT / "README.md").read_text(encoding="utf-8")


def examples(text: str) -> list[tuple[str, str]]:
    """Return each Python example with the output block that is the next fence after it."""
    fences = FENCE.findall(text)
    pairs = []
    for (language, code), (next_language, output) in zip(
        fences, [*fences[1:], ("", "")], strict=True
    ):
        if language == "python":
            assert next_language in OUTPUT_FENCES, "a Python example is followed by its output"
            pairs.append((code, output))
    return pairs


def table_keys(text: str, head: str = "key") -> list[str]:
    """Return the keys in the first column of the table whose head begins with that word."""
    table = re.search(rf"^\|\s*`?{head}`?\s*\|.*\n\|[-:| ]+\n((?:\|.*\n?)+)", text, re.I | re.M)
    assert table, f"the README has a table whose first column is headed {head!r}"
    cells = [row.split("|")[1].strip() for row in table.group(1).splitlines()]
    return [key for cell in cells for key in re.findall(r"`(\w+)`", cell)]


def registered_keys() -> list[str]:
    """Return the engine's mechanism keys, whether they are listed alone or in records."""
    return [getattr(entry, "key", entry) for entry in momentdp_core.MECHANISMS]


def test_examples_print_what_the_readme_says() -> None:
    """Each Python example runs by itself and prints the block that follows it."""
    pairs = examples(readme())
    assert pairs, "the README shows the engine in use"
    for code, output in pairs:
        run = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ROOT,
            env=os.environ | {"PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        assert run.stdout.strip() == output.strip()


def test_mechanism_table_is_the_register() -> None:
    """The table of mechanisms names every key of the engine once, and no other."""
    assert sorted(table_keys(readme())) == sorted(registered_keys())


def test_optimizer_table_is_the_register() -> None:
    """The table of optimizers names every key of the engine once, and no other."""
    assert table_keys(readme(), "optimizer") == list(momentdp_core.OPTIMIZERS)


@pytest.mark.parametrize("command", ["make run", "make test"])
def test_commands_are_named(command: str) -> None:
    """The two commands that a reader needs are in the README and in the Makefile."""
    target = command.split()[1]
    assert command in readme()
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)


def test_links_lead_somewhere() -> None:
    """Every relative link and picture in the README is a file of the project."""
    paths = re.findall(r"""(?:\]\(|src=")([^)"#:]+)[)"#]""", readme())
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_readers_of_the_readme_can_fail() -> None:
    """The two readers above see an example, its output and each key, and miss nothing silently."""
    example = "```python\nprint(1)\n```\nprints\n```text\n1\n```\n"
    assert examples(example) == [("print(1)\n", "1\n")]
    assert table_keys(f"{example}\n| key | what |\n|---|---|\n| `a` | x |\n") == ["a"]
    with pytest.raises(AssertionError, match="headed 'key'"):
        table_keys("no table")
    with pytest.raises(AssertionError, match="followed by its output"):
        examples("```python\nprint(1)\n```\n```bash\nls\n```\n")
