"""``python -m catalogue``: check the catalogue and the READMEs made from it; ``--write`` updates the READMEs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from catalogue.coverage import readmes
from catalogue.load import load
from catalogue.model import CatalogueError


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 when everything is in order, 1 when a README is out of date, 2 for an invalid catalogue."""
    parser = argparse.ArgumentParser(prog="python -m catalogue", description=__doc__)
    parser.add_argument("--write", action="store_true", help="bring the READMEs up to date")
    chosen = parser.parse_args(arguments)
    root = Path(__file__).resolve().parent.parent
    try:
        stale = [(path, text) for path, text in readmes(load(root), root) if path.read_text(encoding="utf-8") != text]
    except CatalogueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    for path, text in stale:
        if chosen.write:
            path.write_text(text, encoding="utf-8")
        print(f"{'written' if chosen.write else 'out of date'}: {path.relative_to(root)}")
    return 1 if stale and not chosen.write else 0


if __name__ == "__main__":
    sys.exit(main())
