"""Reading TOML on every supported Python (3.10 has no tomllib)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from catalogue.model import CatalogueError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def read_toml(path: Path) -> dict[str, Any]:
    """The content of ``path``; raises ``CatalogueError`` naming the file when it cannot be read or parsed."""
    try:
        content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return content
    except OSError as error:
        raise CatalogueError(f"{path}: cannot be read ({error.strerror})") from error
    except tomllib.TOMLDecodeError as error:
        raise CatalogueError(f"{path}: not valid TOML: {error}") from error
