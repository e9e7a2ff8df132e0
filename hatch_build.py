"""Puts the files of the experiments into the wheel, and compiles the modules where the time goes on
request: `FABULA_COMPILE=1 pip install .`

The same Python files run compiled (by mypyc, two to three times as fast) or not; the wheel without
compilation works everywhere. An editable install is never compiled, since its files may change.
Which modules: `[tool.hatch.build.hooks.custom]` in pyproject.toml.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds to a wheel what does not stand in the package."""

    def dependencies(self) -> list[str]:
        """What compiling needs: types are checked against the packages that are used."""
        if not _wanted():
            return []
        return [*self.metadata.core.dependencies, "mypy>=1.15", "setuptools>=77"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add experiments; compile, and put the result beside the Python files."""
        if version == "editable":
            return
        for path in sorted(Path(self.root, "experiments").glob("*.toml")):
            target = f"fabula/training/experiments/files/{path.name}"
            build_data["force_include"][str(path)] = target
        if not _wanted():
            return
        folder = Path(self.root) / "build" / "compiled"
        for built in _compile(Path(self.root), self.config["modules"], folder):
            build_data["force_include"][str(built)] = str(built.relative_to(folder / "lib"))
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _wanted() -> bool:
    return os.environ.get("FABULA_COMPILE", "") not in ("", "0")


def _compile(root: Path, modules: list[str], folder: Path) -> list[Path]:
    """The compiled modules, in a folder laid out like the package."""
    from mypyc.build import mypycify
    from setuptools import Distribution

    os.chdir(root)
    shutil.rmtree(folder / "lib", ignore_errors=True)
    sources = [f"src/fabula/{name}.py" for name in modules]
    extensions = mypycify(
        ["--config-file", "pyproject.toml", *sources], target_dir=str(folder / "c"), opt_level="1"
    )
    command = Distribution({"name": "fabula", "ext_modules": extensions}).get_command_obj(
        "build_ext"
    )
    command.build_lib = str(folder / "lib")
    command.build_temp = str(folder / "temp")
    command.parallel = os.cpu_count()
    command.ensure_finalized()
    command.run()
    built = (folder / "lib").rglob("*")
    return sorted(path for path in built if path.suffix in (".so", ".pyd"))
