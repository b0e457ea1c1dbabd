"""Every kind of method chooses the same inputs of every shipped table under every kernel set that this CPU can run; the
program starts once."""
import json, os, re, sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "lib"))
from harness import ROOT, TAMIS, Skip, good, main, run

KERNELS = ["Prescott", "Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX"]
CLASSES = [("sift",), ("search", "--criterion", "knn"), ("search", "--criterion", "mi"), ("lssvm",), ("fei",)]
RUNS = {
    "boston": [("sift",), ("sisal", "--sigma2", "1:500:10"), ("search",), ("lssvm",)],
    "ionosphere": CLASSES,
    "iris": CLASSES + [("lssvm", "--select", "forward")],
    "pima": CLASSES,
    "wine": CLASSES + [("lssvm", "--select", "forward")],
}


def kernels(asked):
    return re.search(r"with (\S+) kernels", good("--version", env={"OPENBLAS_CORETYPE": asked}))[1]


def chosen(name, words, env):
    found = json.loads(good("select", os.path.join(ROOT, "data", name + ".csv"), "--method", *words, "--json",
                            "--quiet", env=env))
    return sorted(found["selected"]), found["error"]["selected"]


def check_same_inputs_under_every_kernel_set():
    able = [k for k in KERNELS if kernels(k).lower() == k.lower()]
    print("kernel sets that this CPU runs: %s" % ", ".join(able))
    first, *others = able or [""]
    for name, runs in RUNS.items():
        for words in runs:
            inputs, error = chosen(name, words, {"OPENBLAS_CORETYPE": first})
            for k in others:
                other, moved = chosen(name, words, {"OPENBLAS_CORETYPE": k})
                assert other == inputs, (name, words, k, other, inputs)
                assert abs(moved - error) <= 1e-6 * abs(error), (name, words, k, moved, error)


def check_kernels_that_the_cpu_lacks_are_not_taken():
    for asked in KERNELS + ["Nonsense", ""]:
        assert kernels(asked) in KERNELS or os.uname().machine != "x86_64", asked


def check_nothing_of_openblas_is_printed_or_seen():
    code, out, err = run("--version",
                         env={"OPENBLAS_VERBOSE": "2", "OPENBLAS_CORETYPE": "Nonsense", "OPENBLAS_NUM_THREADS": "x"})
    assert code == 0 and err == "", err


def check_it_starts_once():
    """The program does not execute itself again."""
    if os.system("command -v strace >/dev/null"):
        raise Skip("strace is not installed")
    os.system("strace -f -e trace=execve -o trace %s --help >/dev/null 2>&1" % TAMIS)
    if not os.path.exists("trace") or "execve" not in open("trace").read():
        raise Skip("strace is not allowed to trace")
    assert open("trace").read().count("execve(") == 1


if __name__ == "__main__":
    sys.exit(main(globals()))
