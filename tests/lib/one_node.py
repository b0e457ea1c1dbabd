"""A Slurm of one node for tests: munged, slurmctld and slurmd of its own in a private folder, on loopback addresses and
free ports. Everything that it starts, its jobs too, ends with it."""
import ctypes, getpass, os, shutil, signal, socket, subprocess, tempfile, time

from harness import Skip

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol")
CONF = """ClusterName=tamis
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port[0]}
SlurmdPort={port[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={at}/munge.socket
StateSaveLocation={at}/state
SlurmdSpoolDir={at}/spool
SlurmctldPidFile={at}/slurmctld.pid
SlurmdPidFile={at}/slurmd.pid
SlurmctldLogFile={at}/slurmctld.log
SlurmdLogFile={at}/slurmd.log
PlugStackConfig=/dev/null
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1
ReturnToService=2
NodeName={host} NodeHostname={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def prctl(option, value):
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def adopt():
    """Processes whose parent ends become children of this one, so that none is lost."""
    prctl(36, 1)                        # PR_SET_CHILD_SUBREAPER
    signal.signal(signal.SIGTERM, lambda *_: exit(1))


def below(parent):
    """Every process below one."""
    children = {}
    for p in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % p) as f:
                children.setdefault(int(f.read().rpartition(")")[2].split()[1]), []).append(int(p))
        except (OSError, IndexError, ValueError):
            pass
    found, todo = [], [parent]
    while todo:
        more = children.get(todo.pop(), [])
        found += more
        todo += more
    return found


class Cluster:
    def __init__(self):
        os.environ["PATH"] += ":/usr/sbin:/sbin"
        for program in PROGRAMS:
            if not shutil.which(program):
                raise Skip("Slurm: %s not found (tools/setup cluster)" % program)
        self.at, self.started = tempfile.mkdtemp(prefix="tamis-slurm-"), []
        self.env = dict(os.environ, SLURM_CONF=os.path.join(self.at, "slurm.conf"))
        adopt()

    def daemon(self, *words):
        log = open(os.path.join(self.at, os.path.basename(words[0]) + ".out"), "w")
        die = lambda: prctl(1, signal.SIGTERM)          # PR_SET_PDEATHSIG: not left over, whatever happens
        p = subprocess.Popen(words, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, preexec_fn=die)
        self.started.append(p)

    def said(self, *words):
        p = subprocess.run(words, env=self.env, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
        return p.stdout.strip() if p.returncode == 0 else ""

    def wait(self, ready, what, seconds=60):
        for _ in range(10 * seconds):
            if ready():
                return
            if any(p.poll() is not None for p in self.started):
                break
            time.sleep(0.1)
        logs = [self.log(n) for n in ("munged", "slurmctld", "slurmd")]
        raise Skip("Slurm cannot start here: %s; %s" % (what, "; ".join(filter(None, logs)) or "no log"))

    def log(self, program):
        """The last error of a daemon."""
        lines = []
        for end in (".out", ".log"):
            path = os.path.join(self.at, program + end)
            if os.path.exists(path):
                with open(path) as f:
                    lines += [l.strip() for l in f if "rror" in l or "fatal" in l]
        return lines[-1] if lines else ""

    def start(self):
        at = lambda name: os.path.join(self.at, name)
        for folder in ("state", "spool"):
            os.mkdir(at(folder))
        with open(os.open(at("key"), os.O_CREAT | os.O_WRONLY, 0o400), "wb") as f:
            f.write(os.urandom(1024))
        host = socket.gethostname().split(".")[0]
        with open(at("slurm.conf"), "w") as f:
            f.write(CONF.format(host=host, port=free_ports(2), user=getpass.getuser(), at=self.at))
        self.daemon("munged", "-F", "--force", "--key-file", at("key"), "--socket", at("munge.socket"), "--pid-file",
                    at("munged.pid"), "--log-file", at("munged.log"), "--seed-file", at("seed"), "--num-threads", "2")
        self.wait(lambda: os.path.exists(at("munge.socket")), "no munge")
        self.daemon("slurmctld", "-D", "-i")
        self.daemon("slurmd", "-D")
        self.wait(lambda: self.said("sinfo", "-h", "-o", "%T") == "idle", "the node is not idle")

    def wait_for_jobs(self, seconds):
        for _ in range(4 * seconds):
            if not self.said("squeue", "-h"):
                return
            time.sleep(0.25)
        raise AssertionError("jobs did not end: " + self.said("squeue", "-h"))

    def end(self):
        """Daemons and all that came from them."""
        for p in reversed(self.started):
            p.terminate()
        until = time.time() + 5
        while below(os.getpid()) and time.time() < until:
            for p in self.started:
                p.poll()
            time.sleep(0.1)
            self.reap()
        for _ in range(50):
            for p in below(os.getpid()):
                try:
                    os.kill(p, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.reap()
            if not below(os.getpid()):
                break
            time.sleep(0.1)
        shutil.rmtree(self.at, ignore_errors=True)

    def reap(self):
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
