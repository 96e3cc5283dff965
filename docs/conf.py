"""How the documentation site is built: `make docs`, into build/docs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bestofk import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))
# Notebooks run alike everywhere: one thread, and a profile that owes nothing to the user's own.
PROFILE = Path(__file__).parents[1] / "build/ipython/profile_default"
PROFILE.mkdir(parents=True, exist_ok=True)
(PROFILE / "ipython_kernel_config.py").write_text(
    "c.IPKernelApp.log_level = 'ERROR'\n"
    "c.InlineBackend.figure_formats = ['svg']\n"
    "c.HistoryManager.enabled = False\n"
)
os.environ |= {"IPYTHONDIR": str(PROFILE.parent), "OMP_NUM_THREADS": "1"}

project = "bestofk"
author = "The bestofk developers"
copyright = author
version = release = __version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "site_pages",
    "site_api",
]
exclude_patterns = ["_ext", "schema", "images"]
nitpicky = True
nitpick_ignore_regex = [  # types of other packages that functions return, our words for arrays
    (r"py:.*", r"(np|numpy|npt|pathlib|matplotlib|pandas|polars|sklearn|scipy)\..*"),
    (r"py:.*", r"(collections|datetime|bestofk\._base)\..*"),
    (r"py:.*", r"Axes|Path|NDArray|ArrayLike|FloatArray|IntArray|BoolArray|Self|T_co|FloatOrArray"),
]  # fmt: skip

# Markdown: links to headings, cards and figures.  Notebooks run anew in every build.
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_execution_in_temp = True
nb_execution_show_tb = True
nb_merge_streams = True
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]

# Docstrings: signatures with defaults, types in the list of parameters.
autodoc_member_order = "groupwise"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
numpydoc_show_class_members = False
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"  # but for the classes that site_api names
default_role = "name"
smartquotes = False
highlight_language = "text"
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = "bestofk"
html_logo = html_favicon = "../src/bestofk/web/static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "_ext/scorer.js")
html_show_sourcelink = False
html_copy_source = False
html_show_sphinx = False
html_baseurl = ""
html_sidebars = {"index": []}
html_theme_options = {
    "logo": {"text": f"bestofk {__version__}", "alt_text": ""},
    "github_url": "https://github.com/bestofk/bestofk",
    "show_prev_next": True,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "header_links_before_dropdown": 6,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_context = {"default_mode": "auto"}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

# Links that leave docs/ lead to the repository.
site_repository = "https://github.com/bestofk/bestofk/blob/main/"
