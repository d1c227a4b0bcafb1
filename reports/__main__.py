"""``python -m reports``: the summary and the record of a run that is over, from its journals.

``--salvage`` also uses journals that are cut off or foreign: their readable part.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from catalogue import CatalogueError
from fixtures.markers import the_catalogue
from reports.read import JournalError, read_run
from reports.summary import summary_lines, write_record


def main(arguments: list[str] | None = None) -> int:
    """Exit code 0 when nothing is red, 1 when something is, 2 when the journals cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m reports", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"), help="the run's output folder (default out)")
    parser.add_argument("--salvage", action="store_true", help="use the readable part of a damaged journal")
    chosen = parser.parse_args(arguments)
    try:
        run = read_run(chosen.out / "journal", salvage=chosen.salvage)
        print("\n".join(summary_lines(run, the_catalogue())))
        write_record(run, chosen.out / "record.json")
    except (JournalError, CatalogueError) as error:
        print(f"error: {error}; --salvage uses what can be read", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"error: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    return 1 if any(case.red for case in run.cases) or run.unfinished else 0


if __name__ == "__main__":
    sys.exit(main())
