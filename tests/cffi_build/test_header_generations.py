"""The module builds against the four real header generations, and each has what it is known to have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from cffi_build.module import Module, module_for
from cffi_build.toolkit import inspect
from tests.cffi_build.wheels import headers
from tests.harness import module as run_module


@dataclass(frozen=True)
class Generation:
    """One header generation: header version, aclmdlRI functions, parameters of aclmdlRIDebugJsonPrint (0: absent)."""

    wheel: str
    version: tuple[int, int, int]
    functions: int
    json_params: int


GENERATIONS = [
    Generation("2.1.0.post17", (1, 12, 0), 10, 0),
    Generation("2.7.1", (1, 12, 0), 10, 0),
    Generation("2.9.1", (1, 15, 0), 12, 2),
    Generation("2.14.0", (1, 17, 0), 37, 3),
]


@pytest.fixture(params=GENERATIONS, ids=lambda one: one.wheel)
def generation(request: pytest.FixtureRequest) -> Generation:
    found: Generation = request.param
    return found


@pytest.fixture
def include(generation: Generation) -> Path:
    return headers(generation.wheel)


@pytest.fixture
def built(include: Path) -> Module:
    return module_for(inspect(include, "a wheel"))


def test_the_module_builds_and_imports(built: Module) -> None:
    native = built.load()
    assert hasattr(native.lib, "mri_aclmdlRICaptureBegin")


def test_it_has_the_functions_of_its_generation(generation: Generation, built: Module) -> None:
    assert sum(name.startswith("aclmdlRI") for name in built.functions) == generation.functions


def test_the_json_export_has_the_parameters_of_its_generation(generation: Generation, built: Module) -> None:
    function = built.functions.get("aclmdlRIDebugJsonPrint")
    assert (len(function.params) if function else 0) == generation.json_params


def test_its_version_is_read(generation: Generation, include: Path) -> None:
    assert inspect(include, "a wheel").header_version == generation.version


def test_its_enumerators_and_codes_are_read(built: Module) -> None:
    assert built.constants["ACL_MODEL_RI_CAPTURE_MODE_RELAXED"] == 2
    assert built.constants["ACL_MEMCPY_DEVICE_TO_HOST"] == 2
    assert built.constants["ACL_EVENT_SYNC"] == 1
    assert built.enums["aclmdlRICaptureMode"]["ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL"] == 1


def test_operators_come_from_the_reference_device(built: Module) -> None:
    assert {"aclnnAdd", "aclnnAddGetWorkspaceSize", "aclnnMul", "aclCreateTensor"} <= set(built.functions)


def test_the_listing_says_it_all(generation: Generation, include: Path) -> None:
    ran = run_module("cffi_build", "--toolkit", str(include), "--list")
    assert ran.code == 0
    assert f"aclmdlRI: {generation.functions} functions" in ran.out
    assert "  aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode mode)" in ran.out
    assert f"version {'.'.join(map(str, generation.version))}" in ran.out
    assert "no library in this prefix" in ran.out
