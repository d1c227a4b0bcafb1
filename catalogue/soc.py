"""SoC names, product families, and what each family documents.

The families are the columns of the API reference's support blocks: ``950``, ``A3``, ``A2`` (910B), ``310p``, ``310b``
(200I/500 A2), ``910`` and ``IPV350``; ``950PR`` and ``950DT`` name the two products of the first where they differ.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

from catalogue.model import Rule
from catalogue.toml import read_toml

UNKNOWN = "unknown"

# First match wins: the longer names come before their prefixes.
_FAMILIES = (
    (r"Ascend910_93", "A3"),
    (r"Ascend910B", "A2"),
    (r"Ascend950", "950"),
    (r"Ascend310P", "310p"),
    (r"Ascend310B", "310b"),
    (r"Ascend910", "910"),
    (r".*IPV350", "IPV350"),
)


def family_of(soc_name: str) -> str:
    """The family of a SoC name as ``aclrtGetSocName`` gives it; ``unknown`` for a name that fits no family."""
    return next((family for pattern, family in _FAMILIES if re.match(pattern, soc_name)), UNKNOWN)


@lru_cache(maxsize=1)
def _support() -> dict[str, frozenset[str]]:
    content = read_toml(Path(__file__).with_name("support.toml"))
    return {api: frozenset(one["families"]) for one in content["support"] for api in one["api"]}


# Asked before every call of a case, so each answer is worked out once.
@cache
def supports(soc_name: str, api: str) -> bool | None:
    """Whether the documents support ``api`` on the SoC; None where they do not say."""
    families = _support().get(api)
    return None if families is None else _within(soc_name, families)


def applies(rule: Rule, soc_name: str) -> bool:
    """Whether ``rule`` holds on the SoC. On a SoC of no known family every rule is taken to hold."""
    return not rule.socs or family_of(soc_name) == UNKNOWN or _within(soc_name, frozenset(rule.socs))


def _within(soc_name: str, families: frozenset[str]) -> bool:
    product = "950PR" if "950PR" in soc_name else "950DT" if "950DT" in soc_name else None
    return family_of(soc_name) in families or product in families
