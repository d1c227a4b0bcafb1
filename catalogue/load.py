"""Loading and checking the catalogue."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from catalogue.codes import is_code
from catalogue.model import ROLES, DuplicateRule, InvalidRule, Kind, Rule, Severity, Status, UnknownRule
from catalogue.toml import read_toml

_LISTS = ("api", "modes", "roles", "codes", "families", "socs", "readings", "source")
_TEXTS = ("needs", "note", "observed", "reason")
_REQUIRED = ("id", "statement", "kind", "severity", "source", "status")
_KEYS = {one.name for one in fields(Rule)} - {"area", "folder"}


class Catalogue(Mapping[str, Rule]):
    """All rules by id, in the order of their files."""

    def __init__(self, rules: dict[str, Rule]) -> None:
        """Wrap ``rules``; use :func:`load`."""
        self._rules = rules

    def __getitem__(self, rule_id: str) -> Rule:
        """The rule ``rule_id``; raises ``UnknownRule`` with the nearest ids."""
        if rule_id not in self._rules:
            near = difflib.get_close_matches(rule_id, self._rules, n=3, cutoff=0.6)
            hint = f"; did you mean {', '.join(near)}?" if near else "; add it to suites/<area>/rules.toml first"
            raise UnknownRule(f"no rule {rule_id!r} in the catalogue{hint}")
        return self._rules[rule_id]

    def __contains__(self, rule_id: object) -> bool:
        """Whether there is such a rule."""
        return rule_id in self._rules

    def __iter__(self) -> Iterator[str]:
        """The ids."""
        return iter(self._rules)

    def __len__(self) -> int:
        """How many rules there are."""
        return len(self._rules)

    @property
    def areas(self) -> tuple[str, ...]:
        """The areas in order."""
        return tuple(dict.fromkeys(one.area for one in self._rules.values()))


def load(root: Path) -> Catalogue:
    """Read every ``suites/*/rules.toml`` below ``root``; raises ``CatalogueError``."""
    rules: dict[str, Rule] = {}
    for path in sorted((root / "suites").glob("*/rules.toml")):
        content = read_toml(path)
        area = content.get("area")
        if not isinstance(area, str):
            raise InvalidRule(f'{path}: needs area = "…" before the first rule')
        for entry in content.get("rule", []):
            rule = _rule(path, area, entry)
            if rule.id in rules:
                raise DuplicateRule(
                    f"{path}: {rule.id} is already defined in suites/{rules[rule.id].folder}/rules.toml"
                )
            rules[rule.id] = rule
    return Catalogue(rules)


def _rule(path: Path, area: str, entry: dict[str, Any]) -> Rule:
    where = f"{path}: {entry.get('id', 'a rule without id')}"
    if missing := [key for key in _REQUIRED if not entry.get(key)]:
        raise InvalidRule(f"{where}: missing {', '.join(missing)}")
    if unknown := set(entry) - _KEYS:
        raise InvalidRule(f"{where}: unknown field {', '.join(sorted(unknown))}; known are {', '.join(sorted(_KEYS))}")
    if not str(entry["id"]).startswith(f"{area}-"):
        raise InvalidRule(f"{where}: the id must begin with {area}-, the area of this file")
    for code in entry.get("codes", ()):
        if not is_code(code):
            raise InvalidRule(f"{where}: {code} is not a documented return code (catalogue/codes.toml)")
    for role in entry.get("roles", ()):
        if role not in ROLES:
            raise InvalidRule(f"{where}: {role!r} is not a role; one of {', '.join(ROLES)}")
    if entry["status"] == Status.UNTESTABLE and not entry.get("reason"):
        raise InvalidRule(f"{where}: an untestable rule needs a reason that a reviewer accepts")
    lists: dict[str, Any] = {key: tuple(entry.get(key, ())) for key in _LISTS}
    texts: dict[str, Any] = {key: entry.get(key, "") for key in _TEXTS}
    return Rule(
        id=entry["id"],
        area=area,
        folder=path.parent.name,
        statement=entry["statement"],
        kind=_member(Kind, entry["kind"], where),
        severity=_member(Severity, entry["severity"], where),
        status=_member(Status, entry["status"], where),
        expected=entry.get("expected", ""),
        **lists,
        **texts,
    )


def _member(kind: Any, word: str, where: str) -> Any:
    try:
        return kind(word)
    except ValueError:
        allowed = ", ".join(one.value for one in kind)
        raise InvalidRule(f"{where}: {word!r} is not a {kind.__name__.lower()}; one of {allowed}") from None
