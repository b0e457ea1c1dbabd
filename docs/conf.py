# The settings of the site that `make docs` builds (docs/tools/site.py) with Sphinx and myst-parser.
from pygments.lexers.javascript import JavascriptLexer

project = "tamis"
author = "the authors of tamis"
copyright = "the authors of tamis, BSD-3-Clause"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]       # the latter two: reference/python
autodoc_member_order = "bysource"
autodoc_typehints = "none"                              # the docstrings have them, in words
napoleon_google_docstring = False
source_suffix = {".md": "markdown"}
master_doc = "index"
exclude_patterns = ["files/**"]
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
html_theme = "furo"
html_title = "tamis"
html_static_path = ["site"]
html_css_files = ["tamis.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0072b2", "color-brand-content": "#00639c"},
    "dark_css_variables": {"color-brand-primary": "#6cb8e6", "color-brand-content": "#6cb8e6"},
}
pygments_style = "friendly"
highlight_language = "none"


def setup(app):
    app.add_lexer("jsonc", JavascriptLexer)                             # JSON with comments, in docs/result.md
