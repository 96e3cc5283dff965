"""The example examples/samplers."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from tests.conftest import ROOT

EXAMPLE = ROOT / "examples" / "samplers"


@pytest.fixture(scope="package")
def samplers():
    """The modules of the example, where Optuna, cmaes and scikit-learn are installed."""
    for package in ("optuna", "cmaes", "sklearn"):
        pytest.importorskip(package)
    from threadpoolctl import threadpool_limits

    # One thread a fit, as run.py has it; here numpy was imported before it could say so.
    with pytest.MonkeyPatch.context() as patch, threadpool_limits(1):
        patch.setattr(sys, "path", [str(EXAMPLE), *sys.path])
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            patch.setenv(name, "1")  # so that what run.py sets is undone
        import objectives
        import run
        import studies

        yield SimpleNamespace(objectives=objectives, run=run, studies=studies)
    for name in ("objectives", "run", "studies"):
        sys.modules.pop(name, None)
