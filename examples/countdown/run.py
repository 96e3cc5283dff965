"""Train models to play Countdown, sample attempts, and record them.

    python examples/countdown/run.py slice --work WORK --seconds 480
    python examples/countdown/run.py collect --work WORK --out src/bestofk/datasets/countdown.npz

`slice` does what is missing, in order, as far as the time allows: it trains the models, tunes them
on their own correct answers, trains a verifier, and samples all attempts.  The same command again
goes on where it was stopped or killed.  It needs numpy and PyTorch, no more: about 23 minutes on
one H200.  `pilot` shows how good the models are at problems that are neither trained on nor tested.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import study
import torch
from answers import answered, attempts_at, likelihoods, verdicts
from game import Problem, solves
from model import Transformer
from record import Arm, collect, write_arm, write_machine
from study import Recipe, Size
from train import (
    OutOfTimeError,
    Rows,
    new_model,
    repeatable,
    save,
    train,
    training_set,
    verdict_loss,
)


def main(words: Sequence[str] | None = None) -> None:
    """Parse the command line and run a command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("command", choices=["slice", "pilot", "collect"])
    parser.add_argument("--work", required=True, type=Path, help="folder of weights and attempts")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--scale", type=float, default=1, help="of steps and examples, for a try")
    parser.add_argument("--models", nargs="+", choices=study.MODELS, default=list(study.MODELS))
    parser.add_argument("--problems", type=int, default=study.PROBLEMS)
    parser.add_argument("--attempts", type=int, default=study.ATTEMPTS)
    parser.add_argument("--out", type=Path, help="file for the packed record")
    options = parser.parse_args(words)
    if options.command == "collect":
        collect(options.work, options.out, study.ARMS)
        return
    repeatable()
    workshop = Workshop(options.work, options.device, options.scale, time.time() + options.seconds)
    write_machine(options.work, options.device)
    try:
        {"slice": run_slice, "pilot": run_pilot}[options.command](workshop, options)
    except OutOfTimeError as error:
        workshop.say(f"out of time: {error}")


class Workshop:
    """Models, made when they are asked for and kept in a folder."""

    def __init__(self, work: Path, device: str, scale: float = 1, stop: float = float("inf")):
        self.work, self.device, self.scale, self.stop = work, device, scale, stop
        self.began = time.time()
        self._rows: Rows | None = None

    def say(self, text: str) -> None:
        """Print a line with the time."""
        print(f"{time.time() - self.began:6.1f} s  {text}", flush=True)

    def model(self, name: str) -> Transformer:
        """Return a model, trained or tuned first if it is not there."""
        if name == "verifier":
            return self._made(name, study.VERIFIER, 1, self._verify)
        if name in study.TUNINGS:
            size = study.SIZES[study.TUNINGS[name].base]
            return self._made(name, size, None, self._tune)
        return self._made(name, study.SIZES[name], None, self._train)

    def _made(
        self, name: str, size: Size, outputs: int | None, make: Callable[[str, Transformer], None]
    ) -> Transformer:
        path = self.work / f"{name}.pt"
        seed = study.SEED + 100 + (*study.MODELS, "verifier").index(name)
        more = {} if outputs is None else {"outputs": outputs}
        model = new_model(lambda: Transformer(size, **more), seed, self.device)
        if path.exists():
            weights = torch.load(path, map_location=self.device)
            model.load_state_dict({key: value.float() for key, value in weights.items()})
        else:
            self.say(f"{name}: {sum(p.numel() for p in model.parameters()):,} weights")
            make(name, model)
            save(path, {key: value.half() for key, value in model.state_dict().items()})
            (self.work / f"{name}.state").unlink(missing_ok=True)
            self.say(f"{name}: made")
        return model.eval()

    def _recipe(self, recipe: Recipe) -> Recipe:
        return replace(recipe, steps=max(2, round(recipe.steps * self.scale)))

    def _train(self, name: str, model: Transformer) -> None:
        if self._rows is None:
            self._rows = training_set(1000 * study.SEED, max(1, round(study.CHUNKS * self.scale)))
            self.say(f"{len(self._rows.codes):,} training examples")
        self._fit(model, self._rows, self._recipe(study.RECIPES[name]), name)

    def _fit(
        self, model: Transformer, rows: Rows, recipe: Recipe, name: str, **more: object
    ) -> None:
        state = self.work / f"{name}.state"
        train(model, rows, recipe, state, stop=self.stop, say=self.say, **more)  # type: ignore[arg-type]

    def _tune(self, name: str, model: Transformer) -> None:
        tuning = study.TUNINGS[name]
        model.load_state_dict(self.model(tuning.base).state_dict())
        n = max(4, round(tuning.problems * self.scale))
        fresh = study.problems("training", n * tuning.rounds)
        for i in range(tuning.rounds):
            done = self.work / f"{name}-{i}.pt"
            if not done.exists():
                model.eval()
                tried = answered(
                    model,
                    fresh[i * n : (i + 1) * n],
                    tuning.attempts,
                    [study.SEED, 7, tuning.recipe.seed, i],
                )
                right = [(p.prompt, text) for p, text in tried if solves(p, text)]
                self.say(f"{name}, round {i}: {len(right):,} of {len(tried):,} are right")
                recipe = replace(self._recipe(tuning.recipe), seed=1000 * tuning.recipe.seed + i)
                self._fit(
                    model,
                    Rows.of(right or [(p.prompt, t) for p, t in tried]),
                    recipe,
                    f"{name}-{i}",
                )
                save(done, model.state_dict())
                (self.work / f"{name}-{i}.state").unlink(missing_ok=True)
            model.load_state_dict(torch.load(done, map_location=self.device))

    def _verify(self, name: str, model: Transformer) -> None:
        n = max(8, round(study.VERIFIER_PROBLEMS * self.scale))
        asked = study.problems("training", 2 * n)[n:]
        tried = [
            pair
            for i, base in enumerate(study.SIZES)
            for pair in answered(
                self.model(base), asked, study.VERIFIER_ATTEMPTS, [study.SEED, 8, i]
            )
        ]
        right = [solves(p, text) for p, text in tried]
        self.say(f"{name}: {sum(right):,} of {len(right):,} answers to learn from are right")
        rows = Rows.of([(p.prompt, text) for p, text in tried], right)
        self._fit(model, rows, self._recipe(study.VERIFIER_RECIPE), name, loss=verdict_loss)


def run_slice(workshop: Workshop, options: argparse.Namespace) -> None:
    """Make what is missing of models and attempts."""
    tried = study.problems("test", options.problems)
    arms = [arm for arm in study.ARMS if arm[0] in options.models]
    for name in dict.fromkeys(arm[0] for arm in arms):
        workshop.model(name)
    verifier = workshop.model("verifier")
    for name, temperature in arms:
        path = workshop.work / f"{name}-{temperature}.npz"
        if path.exists():
            continue
        model = workshop.model(name)
        arm = Arm(name, temperature)
        for problem, texts in sampled(workshop, model, arm, tried, options.attempts):
            different = list(dict.fromkeys(texts))
            arm.add(
                problem,
                texts,
                right=[solves(problem, text) for text in different],
                likelihood=likelihoods(model, problem, different),
                verdict=verdicts(verifier, problem, different),
            )
        write_arm(path, arm)
        workshop.say(f"{name} at {temperature}: {arm.words()}")


def sampled(
    workshop: Workshop, model: Transformer, arm: Arm, tried: Sequence[Problem], n: int
) -> Iterator[tuple[Problem, list[str]]]:
    """Yield problems with n answers of a model, or stop when the time is up."""
    for problem in tried:
        if time.time() > workshop.stop:
            raise OutOfTimeError(f"{arm.model} at {arm.temperature}")
        uniform = study.chances(arm.model, arm.temperature, problem, n)
        yield problem, attempts_at(model, problem, uniform, arm.temperature)


def run_pilot(workshop: Workshop, options: argparse.Namespace) -> None:
    """Print pass@k of the models at pilot problems, at temperature 1."""
    tried = study.problems("pilot", options.problems)
    for name in options.models:
        model = workshop.model(name)
        pairs = answered(model, tried, options.attempts, [study.SEED, 6])
        right = dict.fromkeys(tried, 0)
        for problem, text in pairs:
            right[problem] += solves(problem, text)
        counts = np.array(list(right.values()))
        sizes = np.array([len(problem.numbers) for problem in tried])
        of_sizes = [
            round(float(counts[sizes == s].mean() / options.attempts), 3) for s in (3, 4, 5, 6)
        ]
        curve = {
            k: round(pass_at(counts, options.attempts, k), 4)
            for k in (1, 4, 16, 64, 256, 512)
            if k <= options.attempts
        }
        workshop.say(
            f"pilot, {name}: {curve}, pass@1 by size {of_sizes}, never {np.sum(counts == 0)}"
        )


def pass_at(counts: np.ndarray, n: int, k: int) -> float:
    """Return the mean chance that k of n attempts, drawn without replacement, hold a right one."""
    steps = np.arange(k)
    missed = np.prod(np.clip(n - counts[:, None] - steps, 0, None) / (n - steps), axis=1)
    return float(np.mean(1 - missed))


if __name__ == "__main__":
    main()
