"""Space: all parameters of a search, from Python, TOML or JSON, and their fingerprint."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

from bestofk._base import arguments
from bestofk.errors import ArgumentError, DataError
from bestofk.space.distributions import (
    KINDS,
    Choice,
    Constant,
    Distribution,
    conditions,
    key,
    same_value,
)
from bestofk.space.foreign import ScipyDistribution, from_foreign

# Part of every fingerprint, since another way of drawing would make another search.
DRAWING = 1
_FORBIDDEN = set("={}\0\n")


class Space:
    """The search space of a random search: one distribution for each parameter.

    Parameters
    ----------
    params : mapping, Space, or path of a .toml or .json file
        Each parameter is a distribution such as ``space.uniform(0, 1)``, a dict such as
        ``{"kind": "uniform", "low": 0, "high": 1}``, a list of choices, a frozen scipy
        distribution, an Optuna distribution, or a constant.  The search_space.json of allentune is
        read as well.

    Examples
    --------
    >>> from bestofk import space
    >>> found = Space({"lr": space.loguniform(1e-5, 1e-1), "layers": [1, 2, 3], "epochs": 10})
    >>> print(found)
    lr = loguniform(low=1e-05, high=0.1)
    layers = choice(values=[1, 2, 3])
    epochs = constant(value=10)
    >>> found.fingerprint[:12]
    '3dc8da1b4b68'
    """

    def __init__(self, params: Mapping[str, Any] | Space | str | os.PathLike[str]) -> None:
        if isinstance(params, Space):
            params = params.params
        elif isinstance(params, str | os.PathLike):
            params = _read_file(Path(params))
        if not isinstance(params, Mapping) or not params:
            raise ArgumentError(
                f"a space must map at least one parameter to what it is drawn from; got {params!r}."
            )
        self.params: dict[str, Distribution] = {
            _name(name): _distribution(name, given) for name, given in params.items()
        }
        self._refuse_conditions()

    def spec(self) -> dict[str, Any]:
        """Return the space as a file would hold it, in plain values."""
        return {name: d.spec() for name, d in self.params.items()}

    @property
    def fingerprint(self) -> str:
        """Digest of the space, which does not depend on the order of the parameters."""
        return hashlib.sha256(canonical({"drawing": DRAWING, "space": self.spec()})).hexdigest()

    def differences(self, other: Space) -> list[str]:
        """Return a sentence for each parameter in which another space differs from this one."""
        return [
            f"{name}: {self.params.get(name, 'not there')} before, "
            f"{other.params.get(name, 'not there')} now"
            for name in dict.fromkeys([*self.params, *other.params])
            if name not in self.params
            or name not in other.params
            or canonical(self.params[name].spec()) != canonical(other.params[name].spec())
        ]

    def __str__(self) -> str:
        return "\n".join(f"{name} = {d}" for name, d in self.params.items())

    def __repr__(self) -> str:
        return f"Space({', '.join(self.params)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Space) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def _refuse_conditions(self) -> None:
        for name, distribution in self.params.items():
            for parent, wanted in distribution.when.items():
                if parent not in self.params:
                    raise ArgumentError(
                        f"{name}: {key('when')} must name another parameter, one of "
                        f"{', '.join(p for p in self.params if p != name)}; got {parent!r}."
                    )
                of = self.params[parent]
                known = of.values if isinstance(of, Choice) else wanted
                for value in wanted:
                    if not any(same_value(value, v) for v in known):
                        raise ArgumentError(
                            f"{name}: {key('when')} must ask for a value that {parent} can have, "
                            f"one of {json.dumps(list(known))}; got {json.dumps(value)}."
                        )
            chain, todo = {name}, list(distribution.when)
            while todo:
                parent = todo.pop()
                if parent == name:
                    raise ArgumentError(
                        f"{name}: {key('when')} must not lead back to itself; it does, by way of "
                        f"{', '.join(sorted(chain - {name})) or name}."
                    )
                if parent not in chain:
                    chain.add(parent)
                    todo += self.params[parent].when


def canonical(value: Any) -> bytes:
    """Return the JSON text of a plain value, the same for equal values."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def _name(name: object) -> str:
    if not isinstance(name, str) or not name or _FORBIDDEN & set(name):
        raise ArgumentError(
            f"a parameter's name must be text without any of = {{ }} or a line break; got {name!r}."
        )
    return name


def _distribution(name: str, given: Any) -> Distribution:
    try:
        if isinstance(given, Distribution):
            return given
        foreign = from_foreign(given)
        if foreign is not None:
            return foreign
        if isinstance(given, Mapping) and "kind" in given:
            return _from_spec(given)
        if isinstance(given, Mapping):
            raise ArgumentError(
                'must say its kind, as { kind = "uniform", low = 0, high = 1 }; '
                f"got {dict(given)!r}."
            )
        return Constant(value=given)
    except ArgumentError as error:
        raise ArgumentError(f"parameter {name}: {error.text}") from None


def _from_spec(given: Mapping[str, Any]) -> Distribution:
    if given["kind"] == ScipyDistribution.kind:
        return ScipyDistribution.of_spec(given)
    kind = KINDS[_one_of(key("kind"), given["kind"], KINDS)]
    options = {name: value for name, value in given.items() if name not in ("kind", "when")}
    known = [f.name for f in fields(kind) if f.name != "when"]
    for option in options:
        _one_of(f"an option of {given['kind']}", option, known)
    try:
        return kind(**options, when=conditions(given.get("when")))
    except TypeError:
        needed = [f.name for f in fields(kind) if f.name in known and f.default is MISSING]
        left_out = [name for name in needed if name not in options]
        raise ArgumentError(
            f"{given['kind']} needs {', '.join(needed)}; {left_out} left out."
        ) from None


def _one_of(what: str, value: object, options: Iterable[str]) -> str:
    """Return the option that equals `value`, which an error calls `what`."""
    try:
        return arguments.choice("value", value, options)
    except ArgumentError as error:
        remedy = f" {error.remedy}" if error.remedy else ""
        raise ArgumentError(f"{what} must {error.must}; got {error.got}.{remedy}") from None


def _read_file(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix == ".toml":
            return tomllib.loads(text)
        if path.suffix == ".json":
            return json.loads(text)
    except OSError as error:
        raise DataError(f"{path}: the space cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: must be text in UTF-8; {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{path}: must be TOML; {error}.") from None
    except json.JSONDecodeError as error:
        raise DataError(f"{path}, line {error.lineno}: must be JSON; {error.msg}.") from None
    raise ArgumentError(f"a space file must end in .toml or .json; got {str(path)!r}.")
