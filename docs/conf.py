"""Configuration of the documentation; `make docs` builds it without the network."""

import pkgutil
import sys
from pathlib import Path

import icost
import icost_reproduction

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "icost"
author = "The icost developers"
copyright = author
version = release = icost.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "myst_parser",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "command_output",
    "evidence",
    "public_names",
]
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
default_role = "py:obj"
nitpicky = True
# Names of public modules must resolve. Other libraries' cannot, for their inventories are on the
# network; modules have no entry of their own, nor has what lies deeper than a public module.
nitpick_ignore_regex = [
    (r"py:.*", r"(?!icost\b|icost_reproduction\b).*|icost\.\w+\.\w+\.\w.*"),
    (r"py:.*", r"icost_reproduction\.\w+\.\w.*"),
]
nitpick_ignore = [("py:obj", package.__name__) for package in (icost, icost_reproduction)]
for _package in (icost, icost_reproduction):
    _modules = pkgutil.walk_packages(_package.__path__, f"{_package.__name__}.")
    nitpick_ignore += [("py:obj", module.name) for module in _modules]

autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
numpydoc_validation_checks = set()

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"/(?!plot_)\w+\.py$",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 5,
    "plot_gallery": True,
    "reset_modules": ("matplotlib", "gallery_style.apply"),
    "doc_module": ("icost", "icost_reproduction"),
    "backreferences_dir": "gallery/backreferences",
    "inspect_global_variables": False,
    "remove_config_comments": True,
    # Tables, yes; what a plotting function returns says nothing that the picture does not.
    "capture_repr": ("_repr_html_",),
}

html_theme = "pydata_sphinx_theme"
html_title = "icost"
html_static_path = ["_static"]
html_css_files = ["icost.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "navigation_with_keys": False,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {
    name: []
    for name in (
        "start",
        "which",
        "tutorial",
        "comparison",
        "migration",
        "design",
        "contributing",
        "changelog",
    )
}
