"""Everybody runs the same packages: pyproject.toml pins each, and what is installed is what is pinned.

`.ci/pins --check` proves the rest with uv: that the pins are complete and resolve.
"""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

PYPROJECT = tomllib.loads((Path(__file__).resolve().parent.parent / "pyproject.toml").read_text())


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


PINS = {
    canonical(name): pinned
    for name, pinned in (
        pin.partition(";")[0].strip().split("==") for pin in PYPROJECT["tool"]["uv"]["constraint-dependencies"]
    )
}


def asked_for() -> list[str]:
    """The requirements as written in pyproject.toml, of all groups."""
    groups = PYPROJECT["dependency-groups"].values()
    return PYPROJECT["project"]["dependencies"] + [r for group in groups for r in group if isinstance(r, str)]


def test_every_requirement_is_pinned_and_has_a_lower_bound():
    for requirement in asked_for():
        name, bound = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?(.*)", requirement).groups()
        assert canonical(name) in PINS, f"{requirement} is not pinned; run .ci/pins"
        assert bound.startswith(">="), f"{requirement} has no lower bound"


def test_the_installed_packages_are_the_pinned_ones():
    installed = {canonical(d.metadata["Name"]): d.version for d in distributions() if d.metadata["Name"]}
    assert {name: v for name, v in installed.items() if name in PINS and v != PINS[name]} == {}


def test_what_the_service_needs_is_installed_as_pinned():
    for requirement in PYPROJECT["project"]["dependencies"]:
        name = canonical(re.split(r"[\[>]", requirement)[0])
        try:
            assert version(name) == PINS[name]
        except PackageNotFoundError:
            raise AssertionError(f"{requirement} is not installed") from None
