"""Draw the images that figures are compared with anew: python -m tests.render.make_images [NAME …].

Look at each one that changed before you keep it.
"""

from __future__ import annotations

import sys

import matplotlib as mpl

mpl.use("Agg")

from tests.render.figures import FIGURES
from tests.render.images import FOLDER, difference, snapshots, store, stored


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or FIGURES:
        (found,) = snapshots(FIGURES[name]())
        before = difference(found, stored(name)) if (FOLDER / f"{name}.png").exists() else 255.0
        print(f"{name}: differs by {before:.1f}, {store(name, found).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
