"""How a study tells how far it is: a share from 0 to 1, and what it does next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")
Tell = Callable[[float, str], None]


def nobody(share: float, text: str) -> None:
    """Tell nobody.

    >>> nobody(0.5, "half of it")
    """


def part(tell: Tell, low: float, high: float) -> Tell:
    """Return who is to be told by a part of a study that begins at `low` and ends at `high`.

    >>> told = []
    >>> part(lambda share, text: told.append((share, text)), 0.5, 0.75)(0.5, "middle")
    >>> told
    [(0.625, 'middle')]
    """
    return lambda share, text: tell(low + (high - low) * share, text)


def steps(items: Iterable[T], tell: Tell, name: Callable[[T], str] = str) -> Iterator[T]:
    """Yield the items of a list that take equally long, telling before each which one is next.

    >>> told = []
    >>> list(steps([8, 32], lambda share, text: told.append((share, text)), "T = {}".format))
    [8, 32]
    >>> told
    [(0.0, 'T = 8'), (0.5, 'T = 32')]
    """
    listed: Sequence[T] = list(items)
    for done, item in enumerate(listed):
        tell(done / len(listed), name(item))
        yield item
