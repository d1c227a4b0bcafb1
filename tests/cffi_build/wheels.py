"""The four real header generations, taken from the torch-npu wheels of the package index into ``build/wheels/``."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cffi_build.files import locked, writable_folder
from tests.harness import ROOT

FOLDER = ROOT / "build" / "wheels"
INSIDE = "torch_npu/include/third_party/acl/inc/"
# Any Python and any machine will do: only headers are taken. Each wheel names the Python it was built for.
_TARGET = ("--platform=manylinux2014_aarch64", "--platform=manylinux_2_28_aarch64")
_PYTHONS = {"2.1.0.post17": "39", "2.7.1": "39", "2.9.1": "310", "2.14.0": "310"}


def headers(version: str) -> Path:
    """The ``acl/inc`` folder of one generation; the test is *not run* where the index cannot be reached."""
    target = FOLDER / version
    writable_folder(FOLDER)
    with locked(FOLDER / f"{version}.lock"):
        if not (target / "complete").is_file():
            _download(version)
            _unpack(version, target)
    return target / INSIDE


def _download(version: str) -> None:
    if list(FOLDER.glob(f"torch_npu-{version}-*.whl")):
        return
    python = f"--python-version={_PYTHONS[version]}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--only-binary=:all:", *_TARGET, python, f"--dest={FOLDER}", f"torch-npu=={version}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        pytest.skip(f"not run: the package index did not give torch-npu {version} ({last})")


def _unpack(version: str, target: Path) -> None:
    (wheel,) = FOLDER.glob(f"torch_npu-{version}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith(INSIDE)]
        archive.extractall(target, names)
    (target / "complete").touch()
