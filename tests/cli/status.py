"""A status cannot be lost: every function of tamis.h that can fail begins with TAMIS_CALL, so that only the outermost
call on a context clears it, and nothing but src/base/context.c writes the status."""
import os, re, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from harness import *

# They set or read one thing and cannot fail.
CANNOT_FAIL = {"tamis_context_free", "tamis_context_limits", "tamis_context_on_note", "tamis_context_on_progress",
               "tamis_context_on_cancel", "tamis_cancel", "tamis_cancel_clear", "tamis_error", "tamis_options_free",
               "tamis_options_get", "tamis_options_unset", "tamis_shard_command", "tamis_shard_end"}


def sources():
    for folder, _, files in os.walk(os.path.join(ROOT, "src")):
        for f in files:
            if f.endswith(".c"):
                path = os.path.join(folder, f)
                yield os.path.relpath(path, ROOT), open(path).read()


def check_public_functions_begin_a_call():
    header = open(os.path.join(ROOT, "include", "tamis.h")).read()
    public = re.findall(r"TAMIS_API [^;]*?(tamis_\w+)\((?:const )?tamis_(?:context|options) \*", header)
    missing = set(public) - CANNOT_FAIL
    assert len(missing) > 30, public
    for path, text in sources():
        for name, body in re.findall(r"^\w[^;{}#]*?\b(tamis_\w+)\([^;{}]*\)\n\{\n    (.*)", text, re.M):
            if name in missing:
                assert re.match(r"TAMIS_CALL\((cx|o->cx)\);", body), (path, name, body)
                missing.discard(name)
    assert not missing, missing


def check_only_the_context_writes_the_status():
    for path, text in sources():
        if path != os.path.join("src", "base", "context.c"):
            assert not re.search(r"&\w+->status,|tamis_call_(begin|end)|->depth\b.*cx", text), path


sys.exit(main(globals()))
