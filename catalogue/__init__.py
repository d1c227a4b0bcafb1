"""The rule catalogue: every testable sentence of the contract, its allowed outcomes and its sources.

Data lives in ``suites/<area>/rules.toml`` (rules) and beside this file (return codes, SoC support, readings). This
package only reads it; it knows nothing of pytest or of a device.
"""

from catalogue.codes import name_of, number_of
from catalogue.load import Catalogue, load
from catalogue.model import CatalogueError, Kind, Rule, Severity, Status, UnknownRule
from catalogue.ranges import by_area, ranges
from catalogue.soc import applies, family_of, supports

__all__ = [
    "Catalogue",
    "CatalogueError",
    "Kind",
    "Rule",
    "Severity",
    "Status",
    "UnknownRule",
    "applies",
    "by_area",
    "family_of",
    "load",
    "name_of",
    "number_of",
    "ranges",
    "supports",
]
