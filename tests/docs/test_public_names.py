"""Every public name is documented, and its docstring and signature agree."""

import inspect
import pkgutil
import re
import runpy
from pathlib import Path

import pytest

import icost

EXTENSION = Path(__file__).parents[2] / "docs" / "_ext" / "public_names.py"
if not EXTENSION.is_file():
    pytest.skip("the documentation is not there", allow_module_level=True)

REFERENCE = runpy.run_path(str(EXTENSION))
SECTION = re.compile(
    r"^([A-Z]\w+(?: \w+)?)\n-{3,}\n(.*?)(?=^[A-Z]\w+(?: \w+)?\n-{3,}\n|\Z)", re.M | re.S
)
ENTRY = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: :.*)?$", re.M)
INHERITED = {"set_fit_request", "set_score_request", "get_params", "set_params"}


def sections(docstring):
    """Sections of a numpydoc docstring by their titles."""
    return dict(SECTION.findall(inspect.cleandoc(docstring)))


def documented_parameters(docstring):
    entries = ENTRY.findall(sections(docstring).get("Parameters", ""))
    return [name.strip("*") for entry in entries for name in entry.split(", ")]


def signature_parameters(function):
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


def public_objects():
    """Each class and function in the reference once, under the shortest name."""
    seen = {}
    for module_name, module in REFERENCE["public_modules"]().items():
        for name in REFERENCE["public_names"](module):
            value = getattr(module, name)
            if callable(value):
                seen.setdefault(id(value), (f"{module_name}.{name}", value))
    return dict(seen.values())


def public_methods(cls):
    """Functions, class methods and static methods that a class defines itself."""
    for name, value in vars(cls).items():
        if name.startswith("_") or name in INHERITED:
            continue
        function = inspect.unwrap(getattr(cls, name))
        if callable(function) and not isinstance(value, property):
            yield name, function


def functions():
    """Public functions and methods by their names."""
    for name, value in public_objects().items():
        if inspect.isclass(value):
            yield from ((f"{name}.{n}", f) for n, f in public_methods(value))
        else:
            yield name, value


OBJECTS = public_objects()
FUNCTIONS = dict(functions())
IS_EXCEPTION = {n for n, v in OBJECTS.items() if inspect.isclass(v) and issubclass(v, Exception)}


def test_the_reference_by_task_names_each_public_object_once():
    text = (EXTENSION.parents[1] / "reference.md").read_text("utf-8")
    listed = re.findall(r"^   (icost[\w.]*)$", text, flags=re.MULTILINE)
    assert len(listed) == len(set(listed))
    ours = {name for name in OBJECTS if name.startswith("icost.")} - IS_EXCEPTION
    assert set(listed) == ours


def test_the_parameters_of_icost_are_grouped_as_in_its_docstring():
    text = (EXTENSION.parents[1] / "reference.md").read_text("utf-8")
    groups = text.partition("## Parameters of `iCost`")[2].partition("\n## ")[0]
    lines = [line for line in groups.splitlines() if line.startswith("|")]
    listed = re.findall(r"`(\w+)`", "\n".join(lines))
    assert listed == documented_parameters(icost.iCost.__doc__)


def test_the_reference_has_every_public_package():
    private = "__main__ base_fit bootstrap classifier cli files label_errors labels neighbors "
    private += "preprocessing problems resampling statistics validation versions"
    names = {module.name for module in pkgutil.iter_modules(icost.__path__)}
    exported = {name for name in names if not name.startswith("_")} - {*private.split()}
    public = {name.removeprefix("icost.") for name in REFERENCE["public_modules"]()}
    assert exported == public - {"icost", "icost_reproduction"}


@pytest.mark.parametrize("name", sorted(OBJECTS.keys() - IS_EXCEPTION))
def test_has_summary_and_example(name):
    docstring = OBJECTS[name].__doc__ or ""
    assert inspect.cleandoc(docstring).partition("\n")[0].endswith((".", "?")), "no summary"
    assert ">>> " in sections(docstring).get("Examples", ""), "no example that runs"


# Exceptions take what exceptions take, and an abstract class takes nothing.
CLASSES = [
    n
    for n, v in OBJECTS.items()
    if inspect.isclass(v) and n not in IS_EXCEPTION and not inspect.isabstract(v)
]


@pytest.mark.parametrize("name", CLASSES)
def test_class_documents_its_parameters(name):
    cls = OBJECTS[name]
    wanted = [p for p in signature_parameters(cls.__init__) if p not in ("args", "kwargs")]
    assert sorted(documented_parameters(cls.__doc__)) == sorted(wanted)


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function_documents_its_parameters(name):
    function = FUNCTIONS[name]
    docstring = inspect.getdoc(function)
    assert docstring, "no docstring"
    assert sorted(documented_parameters(docstring)) == sorted(signature_parameters(function))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_function_documents_what_it_returns(name):
    function = FUNCTIONS[name]
    returns = inspect.signature(function).return_annotation
    found = {"Returns", "Yields"} & sections(inspect.getdoc(function)).keys()
    assert bool(found) == (returns not in (None, "None"))


def test_a_drifting_docstring_is_noticed():
    def drifted(a, b):
        """Add.

        Parameters
        ----------
        a, c : int
            Numbers.
        """

    assert documented_parameters(drifted.__doc__) != signature_parameters(drifted)
