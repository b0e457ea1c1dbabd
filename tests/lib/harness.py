"""Shared by the command-line tests. A test file defines functions check_* and ends with `sys.exit(main(globals()))`;
usage: FILE.py path/to/tamis [name...]. Each check runs in an empty folder of its own and may raise Skip. Prints one
line per failure and 'counts PASSED FAILED SKIPPED'."""
import os, re, resource, shutil, subprocess, sys, tempfile, traceback

TAMIS = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
DATA = os.path.join(ROOT, "..", "shared", "data")


class Skip(Exception):
    pass


def run(*words, stdin=b"", env=None, timeout=300, processor=None):
    """processor: seconds of the processor after which the command is stopped, with exit code 130."""
    e = dict(os.environ, **(env or {}))
    limit = processor and (lambda: resource.setrlimit(resource.RLIMIT_CPU, (processor, processor + 5)))
    p = subprocess.run([TAMIS, *words], input=stdin, capture_output=True, env=e, timeout=timeout, preexec_fn=limit)
    return p.returncode, p.stdout.decode("utf-8", "replace"), p.stderr.decode("utf-8", "replace")


def good(*words, **more):
    code, out, err = run(*words, **more)
    assert code == 0, (words, code, err)
    return out


def bad(code, says, *words, **more):
    """The command must fail with this code, with one matching line on standard error and nothing on standard output."""
    got, out, err = run(*words, **more)
    assert got == code, (words, got, err)
    assert re.search(says, err), (words, err)
    assert err.startswith("tamis: ") and err.count("\n") == 1, (words, err)
    assert out == "", (words, out)
    return err


def table(text, name="t.csv"):
    with open(name, "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())
    return name


def shared(name):
    f = os.path.join(DATA, name)
    if not os.path.exists(f):
        raise Skip("../shared/data/%s is missing" % name)
    return f


def main(names):
    passed = failed = skipped = 0
    for name, test in list(names.items()):
        if not name.startswith("check_") or (sys.argv[2:] and name not in sys.argv[2:]):
            continue
        folder = tempfile.mkdtemp(prefix="tamis-")
        os.chdir(folder)
        try:
            test()
            passed += 1
        except Skip as s:
            skipped += 1
            print("skipped: %s: %s" % (name, s))
        except Exception:
            failed += 1
            print("FAILED: %s" % name)
            traceback.print_exc(file=sys.stdout)
        finally:
            os.chdir("/")
            shutil.rmtree(folder, ignore_errors=True)
    print("counts %d %d %d" % (passed, failed, skipped))
    return failed != 0
