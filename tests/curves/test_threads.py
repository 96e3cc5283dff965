"""Bands are remembered, within bounds, and made once whoever asks."""

from __future__ import annotations

import threading
import time

import pytest

import bestofk as bk
from bestofk._base.cache import Remembered
from bestofk.curves import cdf_band


def test_one_band_read_by_32_threads_is_made_once(monkeypatch):
    made = []

    def counted(*key):
        made.append(key)
        time.sleep(0.1 if len(made) == 1 else 0)  # so that all threads ask meanwhile
        return cdf_band._compute_shape(*key)

    cache = cdf_band.Remembered(
        counted, n_bytes=lambda s: s.lower.nbytes + s.upper.nbytes, room=2**16
    )
    monkeypatch.setattr(cdf_band, "_remembered", cache)
    gate, found = threading.Barrier(32), []

    def read():
        gate.wait()
        found.append(bk.cdf_band(range(500), confidence=0.875).upper.tobytes())

    threads = [threading.Thread(target=read) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 32
    assert len(set(found)) == 1
    assert len(made) == 1
    for n in range(200, 300):  # 3 to 5 kB each
        bk.cdf_band(range(n), band="dkw")
    assert cache.used <= 2**16
    assert 0 < len(cache) < 22


def test_a_value_larger_than_the_room_is_not_kept():
    cache = Remembered(bytes, n_bytes=len, room=100)
    assert len(cache(101)) == 101
    assert len(cache) == cache.used == 0


def test_what_fails_is_made_again_and_blocks_nobody():
    tries = []

    def make(n):
        tries.append(n)
        raise ValueError(n)

    cache = Remembered(make, n_bytes=len, room=100)
    for _ in range(2):
        with pytest.raises(ValueError, match="7"):
            cache(7)
    assert tries == [7, 7]
    assert not cache._making
