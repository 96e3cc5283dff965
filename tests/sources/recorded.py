"""Searches run by tools that are heavy to install: recorded here, run for real when it is slow.

`python -m tests.sources.recorded` runs them again and writes tests/sources/artefacts; the slow
tests call `make` and never look at the recordings.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ARTEFACTS = Path(__file__).parent / "artefacts"

MLFLOW = """
import os, sys, mlflow
folder = sys.argv[1]
uri = f"{folder}/mlruns" if sys.argv[2] == "files" else f"sqlite:///{folder}/ml.db"
mlflow.set_tracking_uri(uri)
mlflow.set_experiment("cnn")
for i in range(4):
    with mlflow.start_run():
        mlflow.log_params({"lr": 0.1 * (i + 1), "act": "relu" if i % 2 else "gelu", "i": i})
        mlflow.log_metric("acc", 99.0, step=0)
        mlflow.log_metric("acc", (i + 1) / 3, step=2)
        mlflow.log_metric("acc", 77.0, step=1)
        mlflow.log_metric("val/loss", 0.5)
try:
    with mlflow.start_run():
        mlflow.log_param("lr", 0.5)
        raise ValueError
except ValueError:
    pass
mlflow.start_run(); mlflow.log_metric("acc", 0.25); mlflow.end_run("KILLED")
mlflow.start_run(); mlflow.log_param("lr", 0.7)
mlflow.search_runs().to_parquet(f"{folder}/frame.parquet")
os._exit(0)  # the last run stays running: leave without MLflow's tidying up
"""

RAY = """
import sys, numpy, ray
from ray import tune

folder = sys.argv[1]
numpy.random.seed(3)  # from which Ray draws where it is given no other

def train(config):
    if "net" in config and config["lr"] > 0.7:
        raise RuntimeError("boom")
    for step in range(4):
        tune.report({"acc": config["lr"] * (step + 1) / 3, "dev": {"f1": 0.5}})

def fit(name, space, trainable=train, **options):
    grid = tune.Tuner(
        trainable,
        param_space=space,
        tune_config=tune.TuneConfig(metric="acc", mode="max", **options),
        run_config=tune.RunConfig(storage_path=folder, name=name, verbose=0),
    ).fit()
    return grid

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
space = {"lr": tune.uniform(0, 1), "net": {"act": tune.choice(["relu", "gelu"])}}
from ray.tune.search import BasicVariantGenerator

grid = fit("random", space, num_samples=8, search_alg=BasicVariantGenerator(random_state=3))
grid.get_dataframe().to_parquet(f"{folder}/frame.parquet")

import bestofk as bk  # here, where the objects live
seen = bk.read(grid, score="acc")
whole = bk.read(f"{folder}/random", score="acc")
assert [repr(t) for t in seen.trials] == [repr(t) for t in whole.trials], (seen, whole)
assert seen.caveats == whole.caveats

fit("grid", {"lr": tune.grid_search([0.1, 0.2]), "b": tune.grid_search([1, 2])})
from ray.tune.schedulers import ASHAScheduler, PopulationBasedTraining
fit("asha", {"lr": tune.uniform(0, 0.8)}, num_samples=6, max_concurrent_trials=1,
    scheduler=ASHAScheduler(max_t=4, grace_period=1, reduction_factor=2))
from ray.tune.search.optuna import OptunaSearch
fit("searcher", {"lr": tune.uniform(0, 0.8)}, num_samples=3, search_alg=OptunaSearch(seed=1))

class Trainable(tune.Trainable):
    def setup(self, config):
        self.x = 0.0
    def step(self):
        self.x += self.config["lr"]
        return {"acc": self.x, "done": self.iteration >= 2}
    def reset_config(self, new):
        self.config = new
        return True
    def save_checkpoint(self, place):
        return {"x": self.x}
    def load_checkpoint(self, kept):
        self.x = kept["x"]

fit("pbt", {"lr": tune.uniform(0, 0.8)}, Trainable, num_samples=2,
    scheduler=PopulationBasedTraining(
        time_attr="training_iteration", perturbation_interval=1, synch=True,
        hyperparam_mutations={"lr": tune.uniform(0, 0.8)}))
ray.shutdown()
"""

# Needs `pip install lightning==2.6.0`, and PyTorch with it: recorded once, run in no test.
LIGHTNING = """
import sys, lightning, torch
from lightning.pytorch.loggers import CSVLogger
from torch.nn.functional import cross_entropy
from torch.utils.data import DataLoader, TensorDataset

class Net(lightning.LightningModule):
    def __init__(self, lr, net):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(4, 2)

    def training_step(self, batch, _):
        loss = cross_entropy(self.layer(batch[0]), batch[1])
        self.log("train_loss", loss)
        return loss

    def right(self, batch):
        return (self.layer(batch[0]).argmax(1) == batch[1]).float().mean()

    def validation_step(self, batch, _):
        self.log("val_acc", self.right(batch))

    def test_step(self, batch, _):
        self.log("test_acc", self.right(batch))

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr)

torch.manual_seed(0)
x = torch.randn(64, 4)
data = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=8)
for lr, width in ((0.01, 3), (0.3, 5), (0.1, 4)):
    net = Net(lr, {"width": width, "act": "relu"})
    trainer = lightning.Trainer(
        max_epochs=3, logger=CSVLogger(sys.argv[1]), log_every_n_steps=3, accelerator="cpu",
        enable_progress_bar=False, enable_checkpointing=False, enable_model_summary=False)
    trainer.fit(net, data, data)
    trainer.test(net, data, verbose=False)
"""

# inspect_ai 0.3.285.  The solver sets the output itself: no model and no network are needed.  `one`
# is always answered rightly, `two` in odd epochs only, `three` never.
INSPECT = """
import os, sys
from pathlib import Path
from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import solver

@solver
def scripted():
    async def solve(state, generate):
        right = state.sample_id == "one" or (state.sample_id == "two" and state.epoch % 2)
        state.output = ModelOutput.from_content("scripted", "4" if right else "5")
        return state
    return solve

samples = [Sample(id=name, input=f"{name}: 2 + 2?", target="4") for name in ("one", "two", "three")]
for form in ("json", "eval"):
    task = Task(dataset=samples, solver=scripted(), scorer=match(), epochs=4, name="sums")
    (log,) = eval(task, model="mockllm/model", log_dir=sys.argv[1], log_format=form, display="none")
    Path(log.location.removeprefix("file://")).rename(Path(sys.argv[1]) / f"sums.{form}")
"""


def make(tool: str, folder: Path) -> None:
    """Run a tool in a process of its own: it keeps global state, and its warnings are not ours."""
    environment = {
        **os.environ,
        "MLFLOW_ALLOW_FILE_STORE": "true",
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    }
    jobs = {"mlflow": [(MLFLOW, "files"), (MLFLOW, "db")], "ray": [(RAY, "")]}
    jobs["lightning"] = [(LIGHTNING, "")]
    jobs["inspect"] = [(INSPECT, "")]
    for script, name in jobs[tool]:
        place = folder / name
        place.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", script, str(place), name],
            capture_output=True, text=True, cwd=place, env=environment, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(done.stderr[-4000:])


def made_once(tool: str, temporary: Path) -> Path:
    """Run a tool once for all processes of a test run, and return its folder.

    `temporary` is pytest's folder for this process; with several, they share its parent.
    """
    shared = temporary.parent if "PYTEST_XDIST_WORKER" in os.environ else temporary
    folder, done, failed = (shared / f"{tool}{end}" for end in ("", ".done", ".failed"))
    try:
        folder.mkdir()
    except FileExistsError:
        while not done.exists():
            if failed.exists():
                raise RuntimeError(f"{tool} failed in another process") from None
            time.sleep(0.2)
        return folder
    try:
        make(tool, folder)
    except BaseException:
        failed.touch()
        raise
    done.touch()
    return folder


def unpack(tool: str, folder: Path) -> None:
    """Unpack what was recorded."""
    with tarfile.open(ARTEFACTS / f"{tool}.tar.xz") as archive:
        archive.extractall(folder, filter="data")


def record(tool: str) -> None:
    """Run a tool and keep what it wrote, less what no reader looks at."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(tool, folder)
        for path in sorted(folder.rglob("*"), reverse=True):
            kept = not path.name.startswith("events.out") and path.suffix != ".pkl"
            if path.is_file() and not kept:
                path.unlink()
        ARTEFACTS.mkdir(exist_ok=True)
        with tarfile.open(ARTEFACTS / f"{tool}.tar.xz", "w:xz") as archive:
            archive.add(folder, arcname=".", filter=_anonymous)


def _anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


if __name__ == "__main__":
    for wanted in sys.argv[1:] or ("mlflow", "ray"):
        record(wanted)
