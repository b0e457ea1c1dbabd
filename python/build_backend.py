"""meson-python, told that the extension has Python's stable ABI, so that one wheel is for every version from 3.11 on.

From release 0.15 on this is a setting of pyproject.toml, on which 0.12, that of Debian 12, stops; it goes by the name of
the extension. The releases between have neither."""
import mesonpy
from mesonpy import *  # noqa: F403    the hooks of a build backend

_validate = getattr(mesonpy, "_validate_pyproject_config", None)
if _validate is not None:
    mesonpy._validate_pyproject_config = lambda project: {**_validate(project), "limited-api": True}
