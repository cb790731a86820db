"""What links of older versions meant: each is put into the words of the version after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pages.ui.url_state import VERSION, VERSION_NAME

Query = Mapping[str, Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Migration:
    """What changed from one version of the links to the next.

    Args:
        renamed: new name of each parameter that is now called differently.
        defaults: text of each default that is now another one, by the new name: links left it out.
        gone: a sentence for each parameter (by its old name) whose numbers cannot be kept.
    """

    renamed: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class LinkNotes:
    """What there is to say about an opened link: what changed since, and what was ignored."""

    changed: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


# By the version that a link has; the version after it is the next whole number.
# When VERSION is raised, the change belongs here.
MIGRATIONS: Final[dict[str, Migration]] = {}


def upgraded(query: Query) -> tuple[dict[str, list[str]], tuple[str, ...]]:
    """Return a link in the words of today's version, and a line for each thing that changed.

    A link without a version is taken to be of today's; one of an unknown version stays as it is.

    >>> upgraded({"v": ["1"], "mu": ["0.5"]})
    ({'v': ['1'], 'mu': ['0.5']}, ())
    """
    found = {name: list(texts) for name, texts in query.items()}
    changed: list[str] = []
    while found.get(VERSION_NAME, [VERSION]) != [VERSION]:
        (version, *more) = found[VERSION_NAME]
        if more or version not in MIGRATIONS:
            break
        step = MIGRATIONS[version]
        changed += [line for name, line in step.gone.items() if name in found]
        kept = {name: texts for name, texts in found.items() if name not in step.gone}
        found = {step.renamed.get(name, name): texts for name, texts in kept.items()}
        for name, default in step.defaults.items():
            found.setdefault(name, [default])
        found[VERSION_NAME] = [str(int(version) + 1)]
    return found, tuple(changed)
