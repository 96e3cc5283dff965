"""Search spaces: what each parameter of a random search is drawn from.

>>> from bestofk import space
>>> print(space.Space({"lr": space.loguniform(1e-5, 1e-1), "layers": [1, 2, 3]}))
lr = loguniform(low=1e-05, high=0.1)
layers = choice(values=[1, 2, 3])

draw.py           the functions with which users write distributions
distributions.py  the distributions and how each one turns a uniform number into a value
foreign.py        parameters as scikit-learn, scipy, Optuna and allentune write them
space.py          Space: all parameters together, from Python, TOML or JSON, and their fingerprint
sampler.py        the parameters and the seed of trial i
"""

from bestofk.space.draw import (
    choice,
    constant,
    exponential,
    integer,
    loguniform,
    normal,
    quantised,
    uniform,
)
from bestofk.space.space import Space

__all__ = [
    "Space",
    "choice",
    "constant",
    "exponential",
    "integer",
    "loguniform",
    "normal",
    "quantised",
    "uniform",
]
