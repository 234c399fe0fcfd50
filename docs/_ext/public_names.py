"""API pages from the modules' own ``__all__``: a name becomes documented by being exported.

Before Sphinx looks for its sources, one page per public module is written to ``generated/``. A
name that `icost` itself exports is documented there, and only linked from its module's page.
"""

import pkgutil
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # The tests read MODULES where there is no Sphinx.
    from sphinx.application import Sphinx
    from sphinx.config import Config

MODULES = {
    "icost": "estimators and weights",
    "icost.complexity": "how hard is each row?",
    "icost.penalties": "costs",
    "icost.tuning": "choosing costs",
    "icost.thresholds": "decisions and their certificates",
    "icost.ensemble": "the ensemble",
    "icost.metrics": "metrics and scorers",
    "icost.datasets": "the paper's data sets, and your tables",
    "icost.strategies": "what can be compared",
    "icost.comparison": "strategies on one table",
    "icost.plots": "displays",
    "icost.report": "facts about a table",
    "icost.boosters": "native weights",
    "icost.dask": "on a Dask cluster",
    "icost.spark": "on Spark",
    "icost.modelfile": "models on disk",
    "icost.evaluation": "a model on new rows",
    "icost_reproduction": "the paper's studies",
}
"""Public modules and the titles of their pages."""

PACKAGES = ("icost.", "icost_reproduction.")
"""How the names of our modules start."""


def public_names(module: ModuleType) -> list[str]:
    """Return what a module exports, else what it defines and does not hide."""
    if hasattr(module, "__all__"):
        return sorted(module.__all__, key=str.lower)
    own = (
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
    )
    return sorted(own, key=str.lower)


def public_modules() -> dict[str, ModuleType]:
    """Return the public modules that this version has."""
    return {name: import_module(name) for name in MODULES if find_spec(name)}


def data_docstring(module: ModuleType, name: str) -> str:
    """Return the docstring below the assignment of a constant, wherever it is assigned."""
    from sphinx.pycode import ModuleAnalyzer

    value = getattr(module, name)
    places = [module.__name__]
    places += [n for n in sorted(sys.modules) if n.startswith(PACKAGES)]
    for place in places:
        if getattr(sys.modules[place], name, None) is not value:
            continue
        docs = ModuleAnalyzer.for_module(place).find_attr_docs()
        if ("", name) in docs:
            return "\n".join(docs["", name]).strip()
    raise ValueError(f"{module.__name__}.{name} must have a docstring below its assignment.")


def _page(name: str, module: ModuleType, elsewhere: dict[int, str]) -> str:
    first, _, _ = (module.__doc__ or "").partition("\n")
    names = public_names(module)
    callables = [n for n in names if callable(getattr(module, n))]
    new = [n for n in callables if id(getattr(module, n)) not in elsewhere]
    title = f"{name}: {MODULES[name]}"
    lines = [title, "=" * len(title), "", first, "", f".. module:: {name}", ""]
    if new:
        lines += [".. autosummary::", "   :toctree: .", "   :nosignatures:", ""]
        lines += [*(f"   {n}" for n in new), ""]
    known = [elsewhere[id(getattr(module, n))] for n in callables if n not in new]
    if known:
        links = ", ".join(f":py:obj:`{target}`" for target in known)
        lines += [f"Documented under `icost`: {links}.", ""]
    for constant in (n for n in names if n not in callables):
        doc = data_docstring(module, constant).replace("\n", "\n   ")
        value = _value(getattr(module, constant))
        lines += [f".. py:data:: {constant}", *value, "", f"   {doc}", ""]
    elsewhere |= {id(getattr(module, n)): f"{name}.{n}" for n in new}
    return "\n".join(lines)


def _value(value: Any) -> list[str]:
    """Return the option that shows a constant's value, if it is short."""
    text = repr(dict(value) if isinstance(value, Mapping) else value)
    return [f"   :value: {text}"] if len(text) < 100 else []


def write_pages(app: "Sphinx", config: "Config") -> None:
    """Write the pages of all public modules."""
    folder = Path(app.srcdir) / "generated"
    rmtree(folder, ignore_errors=True)
    folder.mkdir()
    elsewhere: dict[int, str] = {}
    for name, module in public_modules().items():
        (folder / f"{name}_module.rst").write_text(_page(name, module, elsewhere), "utf-8")
    app.icost_names = elsewhere
    # By itself autosummary would look at the pages that an earlier build knew.
    config.autosummary_generate = sorted(f"generated/{path.name}" for path in folder.iterdir())


def resolve_alias(app: "Sphinx", env: Any, node: Any, content: Any) -> Any:
    """Link a name to where it is documented, whichever module it was imported from."""
    target = node.get("reftarget", "")
    if node.get("refdomain") != "py" or not target.startswith(PACKAGES):
        return None
    try:
        value = pkgutil.resolve_name(target)
    except (ImportError, AttributeError, ValueError):
        return None
    documented = app.icost_names.get(id(value))
    if documented in (None, target):
        return None
    domain = env.get_domain("py")
    return domain.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], documented, node, content
    )


def setup(app: "Sphinx") -> dict[str, bool]:
    """Write before the sources are looked for, so that autosummary sees the pages."""
    app.connect("config-inited", write_pages)
    app.connect("missing-reference", resolve_alias)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
