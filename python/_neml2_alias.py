# SPDX-License-Identifier: MIT
"""Gives the package neml2_tensors its second name, neml2, wherever no other package has it: PyPI's neml2 is NEML2 3.x.

neml2_tensors.pth makes Python call install() when it starts. Both names stand for the same modules; each module is loaded once.
"""

import sys  # no other imports: this module is imported whenever Python starts

ALIAS, PACKAGE = "neml2", "neml2_tensors"


def _own(name):
    return PACKAGE + name[len(ALIAS) :]


class _Loader:
    """Puts the module that neml2_tensors has into sys.modules, in place of the empty one that Python made for this name."""

    @staticmethod
    def create_module(spec):
        return None

    @staticmethod
    def exec_module(module):
        from importlib import import_module

        name = module.__spec__.name
        sys.modules[name] = import_module(_own(name))

    @staticmethod
    def get_code(name):
        """The program of python -m neml2."""
        from importlib.util import find_spec

        return find_spec(_own(name)).loader.get_code(_own(name))


class _Finder:
    """Finds neml2 if no other finder does, and neml2.math and other submodules if neml2 is this package."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name == ALIAS:
            return None if cls._is_elsewhere(path, target) else cls._spec(name)
        ours = sys.modules.get(PACKAGE)
        if name.startswith(ALIAS + ".") and ours is not None and sys.modules.get(ALIAS) is ours:
            return cls._spec(name)
        return None

    @classmethod
    def _is_elsewhere(cls, path, target):
        """Whether a package or module neml2 is installed. A mere folder of this name, such as a clone, does not count; if this finder
        were the last one, Python would import such a folder as an empty package."""
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            if finder is not cls and find is not None:
                spec = find(ALIAS, path, target)
                if spec is not None and spec.loader is not None:
                    return True
        return False

    @staticmethod
    def _spec(name):
        from importlib.machinery import ModuleSpec
        from importlib.util import find_spec

        loaded = sys.modules.get(_own(name))
        found = getattr(loaded, "__spec__", None) or (find_spec(_own(name)) if loaded is None else None)
        if loaded is None and found is None:
            return None
        of_package = found is not None and found.submodule_search_locations is not None
        return ModuleSpec(name, _Loader, origin=found and found.origin, is_package=of_package)


def install():
    """Makes `import neml2` find this package."""
    if _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)
