"""Registries: built-in entries and those that other packages add.

A registry maps names to objects: worlds, formats, models. Fabula's own entries are listed as
`module:attribute`; another package adds entries with an entry point of the same group:

    [project.entry-points."fabula.worlds"]
    clocks = "fabula_clocks:CLOCKS"

Promises:
1. Nothing is imported until it is used, so a lower layer can look up what a higher one defines.
2. A plug-in cannot replace a built-in entry, and a broken plug-in fails only when it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from fabula.errors import FabulaError, MissingExtraError, hint

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from fabula.world.base import World

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """Objects by name, loaded on first use.

    >>> "sizes" in WORLDS, WORLDS["sizes"].name
    (True, 'sizes')
    """

    def __init__(
        self, group: str, own: Mapping[str, str], noun: str, extras: Mapping[str, str] | None = None
    ) -> None:
        """`own`: built-in entries; `extras`: the extra that installs a package they may need."""
        self.group = group
        self.noun = noun
        self._own = dict(own)
        self._extras = extras or {}
        self._loaded: dict[str, T] = {}

    @property
    def own(self) -> tuple[str, ...]:
        """The names of the built-in entries; does not look for plug-ins."""
        return tuple(self._own)

    @cached_property
    def plugins(self) -> dict[str, EntryPoint]:
        """Entries of other packages, by name."""
        from importlib import metadata  # slow to load, and needed only here

        found = {point.name: point for point in metadata.entry_points(group=self.group)}
        return {name: point for name, point in sorted(found.items()) if name not in self._own}

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from self.plugins

    def __len__(self) -> int:
        return len(self._own) + len(self.plugins)

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self.plugins

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def find(self, name: str, place: str = "") -> T:
        """The entry, or an error that suggests the nearest name."""
        if name not in self:
            where = f"{place}: " if place else ""
            raise FabulaError(f"{where}unknown {self.noun} '{name}'.{hint(name, self)}")
        return self[name]

    def working(self, complain: Callable[[str], None] = lambda reason: None) -> dict[str, T]:
        """All entries that can be loaded; broken plug-ins are passed to `complain` and left out."""
        found: dict[str, T] = {}
        for name in self:
            try:
                found[name] = self[name]
            except FabulaError as error:
                if name in self._own:
                    raise
                complain(str(error))
        return found

    def _load(self, name: str) -> T:
        if name in self._own:
            module, _, attribute = self._own[name].partition(":")
            try:
                found: T = getattr(import_module(module), attribute)
            except ModuleNotFoundError as error:
                extra = self._extras.get((error.name or "").partition(".")[0])
                if extra is None:
                    raise
                raise MissingExtraError(
                    f"{self.noun} '{name}' needs {error.name}. Install it: "
                    f"pip install 'fabula[{extra}]'"
                ) from None
            return found
        if name not in self.plugins:
            raise KeyError(name)
        point = self.plugins[name]
        try:
            loaded: T = point.load()
        except Exception as error:
            package = point.dist.name if point.dist else point.value
            raise FabulaError(
                f"{self.noun} '{name}' of the package {package} cannot be loaded: "
                f"{type(error).__name__}: {error}. Update or uninstall the package."
            ) from error
        return loaded


@cache
def plugin_folders(name: str) -> tuple[Path, ...]:
    """The folders with this name in the packages of plug-in worlds: 'language' or 'recipes'."""
    found = []
    for point in WORLDS.plugins.values():
        spec = find_spec(point.module.partition(".")[0])
        places = spec.submodule_search_locations if spec else None
        found += [Path(place) / name for place in places or () if (Path(place) / name).is_dir()]
    return tuple(dict.fromkeys(found))


def need(package: str, extra: str) -> Any:
    """The package, or an error that says how to install it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        name = package.partition(".")[0]
        if (error.name or "").partition(".")[0] != name:
            raise  # the package is there but broken: its own message says more
        raise MissingExtraError(
            f"{name} is not installed: pip install 'fabula[{extra}]'."
        ) from None


WORLDS: Registry[World] = Registry(
    "fabula.worlds",
    {name: f"fabula.world.{name}:{name.upper()}" for name in
     ("actors", "space", "sizes", "kinds", "kinship")},
    "world",
)  # fmt: skip
"""The worlds. They are listed here, below the layer that defines them, because recipes and
languages look them up by name.
"""
