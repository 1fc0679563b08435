"""Who may import whom. The contracts stand in pyproject.toml, under [tool.importlinter]."""

import ast
import sys
from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).resolve().parent.parent


def test_the_import_contracts_hold():
    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == EXIT_STATUS_SUCCESS


def test_the_rules_import_the_standard_library_and_themselves_alone():
    strangers = {
        f"{path.name}: {name}"
        for path in (ROOT / "forsale_api" / "rules").glob("*.py")
        for name in imported(path)
        if name.partition(".")[0] not in sys.stdlib_module_names and not name.startswith("forsale_api.rules")
    }
    assert strangers == set()


def test_importing_the_site_imports_nothing_else():
    assert (ROOT / "forsale_api" / "__init__.py").read_text() == ""


def imported(path: Path) -> set[str]:
    """The names of the modules that a file imports; the file's own package for relative ones."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add("forsale_api.rules" if node.level else node.module or "")
    return names
