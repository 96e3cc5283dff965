"""A cache that stays within a number of bytes and is safe under threads."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Remembered(Generic[_T]):
    """Call a function once per arguments and keep its last values, up to a number of bytes.

    Threads that ask for the same value at once wait for the one that makes it; other values can be
    made meanwhile.  A value larger than the whole room is returned and not kept.

    Parameters
    ----------
    make : callable
        A deterministic function of hashable arguments.
    n_bytes : callable
        The size of a value.
    room : int
        How many bytes are kept at most.

    Examples
    --------
    >>> square = Remembered(lambda x: x * x, n_bytes=lambda value: 8, room=16)
    >>> square(3), square(3), len(square)
    (9, 9, 1)
    """

    def __init__(self, make: Callable[..., _T], *, n_bytes: Callable[[_T], int], room: int) -> None:
        self._make, self._n_bytes, self._room = make, n_bytes, room
        self._kept: OrderedDict[Hashable, _T] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._lock = Lock()
        self.used = 0

    def __call__(self, *key: Hashable) -> _T:
        """Return the value for these arguments."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            turn = self._making.setdefault(key, Lock())
        with turn:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
            try:
                made = self._make(*key)
                self._keep(key, made)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return made

    def __len__(self) -> int:
        return len(self._kept)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()
            self.used = 0

    def _keep(self, key: Hashable, made: _T) -> None:
        size = self._n_bytes(made)
        if size > self._room:
            return
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = made
            self.used += size
            while self.used > self._room:
                _, old = self._kept.popitem(last=False)
                self.used -= self._n_bytes(old)
