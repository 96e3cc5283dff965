"""Download the papers' published results and convert them to the tidy form.

Each file comes from the paper's public repository at a pinned commit, so its content is fixed.
Only the tidy file is kept.  Its SHA-256 must equal the one below, so a changed download or a change
in the conversion is an error.
"""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bestofk.errors import DataError
from bestofk_reproduction import convert

BASE = "https://raw.githubusercontent.com"
VARIABLE = "BESTOFK_DATA"  # names a folder with the data in their tidy form
CACHE = "BESTOFK_CACHE"  # names the folder that downloads are kept in
_MEANMAX = "castorini/meanmax/0ea124105eda04a00677c077b591a94c2e2b2936/data/"
_OPDA = "nicholaslourie/opda/{}/data/deberta/"
_MOSS = "henrymoss/COLING2018/42e89b4866c84199a53a79d9485a920979c025fa/Interactive/"


class NotThereError(DataError):
    """Raised if data that a figure needs are neither at hand nor downloadable."""


@dataclass(frozen=True, kw_only=True)
class Source:
    """Where a tidy file comes from, how it is converted, and its checksum (uncompressed)."""

    urls: tuple[str, ...]
    convert: Callable[[list[bytes]], str]
    sha256: str
    hashes: tuple[str, ...] = ()  # checksums of the files as downloaded, where known


def _moss(*names: str) -> tuple[str, ...]:
    return tuple(_MOSS + name for name in names)


SOURCES: dict[str, Source] = {
    "reuters_hedwig.csv": Source(
        urls=(f"{_MEANMAX}hedwig.tsv",),
        convert=convert.hedwig,
        sha256="6194c240f1b76ac92e35f562430fbb2f1db1a97e77aa6e4e585c3a5165b1a026",
        hashes=("sha256:a9d4c271e12f757be26f1c131f7f74c82546729a47efd107012f9619282af2af",),
    ),
    "deberta_mnli/deberta.csv": Source(
        urls=(
            _OPDA.format("2519c15828d7e925f59b0277ab2980fe80962eee") + "deberta-base.results.jsonl",
        ),
        convert=convert.deberta,
        sha256="df21ad4877fd5881f63354f05c6440e8b3217608351ff99bad87b6ded93fa17b",
    ),
    "deberta_mnli/debertav3.csv": Source(
        urls=(
            _OPDA.format("aede07ab9ca77e485d4e9cde5a0d8baffa542ab4")
            + "deberta-v3-base.results.jsonl",
        ),
        convert=convert.deberta,
        sha256="2f0fa5b70f6aec8fcc40f0b0fa31e906dac15ae367c194ad8526716874c644be",
    ),
    "jkfold_cv/imdb_rf.csv.gz": Source(
        urls=_moss(
            "IMDB/MoviesRF_differentpartitions_1000_5_folds",
            "IMDB/MoviesRF_differentpartitions_1000_10_folds",
            "IMDB/MoviesRF_differentpartitions_500_20_folds",
        ),
        convert=convert.imdb,
        sha256="19bf807dca405adfa72e59d8ccb0bd8e26518251c5eeb7baefae22ac4693033c",
    ),
    "jkfold_cv/imdb_rf_truth.csv": Source(
        urls=_moss("IMDB/MoviesRF_Truth"),
        convert=convert.imdb_truth,
        sha256="2dde76344c9725590d8171038077c6282797c8a4d7a62f4b319fe581d12c4bcc",
    ),
    "jkfold_cv/pos_lr.csv.gz": Source(
        urls=_moss(
            "POS/POSLR_differentpartitions_1000_5_folds",
            "POS/POSLR_differentpartitions_1000_10_folds",
        ),
        convert=convert.pos,
        sha256="eda7bddfa7ba8999e5e5b668151bcadd0a4aca61956a0de1187fedfbbb872af3",
    ),
    "jkfold_cv/reuters_svm.csv.gz": Source(
        urls=_moss(
            "REUTERS/REUTERSSVM_differentpartitions_1000_5_folds",
            "REUTERS/REUTERSSVM_differentpartitions_1000_10_folds",
        ),
        convert=convert.reuters,
        sha256="b9cda987d321cb6f8892404fd36230a67194225b7c6a08ed2fbb6636302cfa07",
    ),
    "jkfold_cv/lstm_width.csv.gz": Source(
        urls=_moss(
            "LSTM/LSTM_differentpartitions_514_5_folds.txt",
            "LSTM/LSTM_differentpartitions_283_10_folds.txt",
        ),
        convert=convert.lstm_width,
        sha256="e6bd77ed539e662e91b44d897edb73e3c2731bd6c5d3e4fd2fad349d9351c8c7",
    ),
    "jkfold_cv/lstm_reg.csv.gz": Source(
        urls=_moss(
            "LSTM/LSTM_differentpartitions_reg_1200_5_folds.txt",
            "LSTM/LSTM_differentpartitions_reg_566_10_folds.txt",
        ),
        convert=convert.lstm_reg,
        sha256="6ccada650b30af5960ee73e0fc13bb3000248c1fe35dd3f35d466a2a660806b1",
    ),
    "jkfold_cv/k_variance.csv.gz": Source(
        urls=_moss(
            "POS/POS_K_VAR", "REUTERS/REUTERS_K_VAR", *(f"LSTM/K_VAR_{k}" for k in range(2, 16))
        ),
        convert=convert.k_variance,
        sha256="b1800b4371a8e8e3c1c0d9c947df54d3b8c76bb45ff6998835fde45d07264d50",
    ),
}


def cache_folder() -> Path:
    """Return the folder for downloads: BESTOFK_CACHE if set, else the user's cache folder."""
    if os.environ.get(CACHE):
        return Path(os.environ[CACHE])
    import pooch

    return Path(pooch.os_cache("bestofk"))


def fetch(name: str) -> Path:
    """Return the path of a tidy file, downloading and converting it the first time.

    Parameters
    ----------
    name : str
        Path of the file within the tidy folder, e.g. "reuters_hedwig.csv".
    """
    source = SOURCES.get(name)
    if source is None:
        raise NotThereError(
            f"{name} cannot be downloaded; set {VARIABLE} to a folder that holds it. The texts are "
            "not published in this form: the folder's README files say how they were made."
        )
    target = cache_folder() / name
    if not target.is_file():
        parts = _download(source)
        try:
            text = source.convert(parts)
        except (ValueError, KeyError, IndexError) as error:
            raise DataError(f"{name}: the download is not what was expected ({error}).") from None
        found = hashlib.sha256(text.encode()).hexdigest()
        if found != source.sha256:
            raise DataError(
                f"{name}: the downloaded data must have the checksum {source.sha256[:12]}… in "
                f"their tidy form; got {found[:12]}…."
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        content = text.encode()
        target.write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    return target


def _download(source: Source) -> list[bytes]:
    import logging

    import pooch

    pooch.get_logger().setLevel(logging.WARNING)
    parts = []
    hashes = source.hashes or (None,) * len(source.urls)
    for url, known in zip(source.urls, hashes, strict=True):
        try:
            path = pooch.retrieve(
                f"{BASE}/{url}",
                known_hash=known,
                fname=url.replace("/", "-"),
                path=cache_folder() / "downloads",
            )
        except (OSError, ValueError) as error:  # no network, no such file, another checksum
            raise NotThereError(
                f"{BASE}/{url} could not be downloaded ({type(error).__name__}); set {VARIABLE} "
                "to a folder with the papers' data in their tidy form."
            ) from None
        parts.append(Path(path).read_bytes())
    return parts
