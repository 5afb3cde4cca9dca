"""A Slurm of our own on this machine, for the length of a test: one node, four processors by name.

munged, slurmctld and slurmd run in the foreground as children of the test, with configuration,
key, sockets, state and logs in one temporary folder, and with ports that were free. They know
nothing of a Slurm that the machine may have. When the test ends, however it ends, so do they.

SPDX-License-Identifier: Apache-2.0
"""
import ctypes
import getpass
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

PATIENCE = 120  # seconds for what takes one or two
FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/sbin")
DAEMONS = ("munged", "slurmctld", "slurmd")
CLIENTS = ("srun", "sbatch", "squeue", "sinfo", "scontrol")

# Processes are known by their parents, as cgroups are not ours everywhere; and a job begins as soon
# as it is there, not some seconds later.
CONFIGURATION = """\
ClusterName=lodetest
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={control_port}
SlurmdPort={node_port}
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_min_interval=1000,batch_sched_delay=0,sched_interval=1
SwitchType=switch/none
MailProg=/bin/true
MpiDefault=none
ReturnToService=2
KillWait=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def find(name):
    """A program, also where only root has it in the path."""
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(FOLDERS))


def missing():
    """Programs that a private Slurm needs and that are not here."""
    return [name for name in (*DAEMONS, *CLIENTS) if not find(name)]


def free_ports(n):
    """Ports that nobody has at this moment."""
    sockets = [socket.socket() for _ in range(n)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def end_with_parent():
    """In a child: it ends when the test does, even by SIGKILL."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


class NotStarted(Exception):
    """Why the daemons do not run here."""


class PrivateSlurm:
    """Starts with start(), which raises NotStarted; stop() leaves nothing."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="lode-slurm-"))
        self.configuration = self.folder / "slurm.conf"
        self.environment = {**os.environ, "SLURM_CONF": str(self.configuration)}
        self.running = []

    def start(self):
        for name in ("state", "spool"):
            (self.folder / name).mkdir()
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(32))
        key.chmod(0o400)
        control_port, node_port = free_ports(2)
        self.configuration.write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], user=getpass.getuser(), folder=self.folder,
            control_port=control_port, node_port=node_port))
        files = [f"--{what}-file={self.folder}/munge.{what}" for what in ("key", "pid", "log", "seed")]
        self.daemon("munged", "--foreground", "--force", "--num-threads=2",
                    f"--socket={self.folder}/munge.sock", *files)
        self.wait("munged", lambda: (self.folder / "munge.sock").exists())
        self.daemon("slurmctld", "-D", "-i", "-f", self.configuration)
        self.daemon("slurmd", "-D", "-f", self.configuration)
        self.wait("slurmd", lambda: self.ask("sinfo", "-h", "-o", "%T") == "idle")

    def daemon(self, name, *words):
        log = open(self.folder / f"{name}.log", "w", encoding="utf-8")
        with log:
            self.running.append((name, subprocess.Popen(
                [find(name), *map(str, words)], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment, preexec_fn=end_with_parent)))

    def wait(self, name, ready):
        """Until something is there; a daemon that has ended will not bring it."""
        end = time.monotonic() + PATIENCE
        while not ready():
            ended = [one for one, process in self.running if process.poll() is not None]
            if ended or time.monotonic() > end:
                raise NotStarted(f"{(ended or [name])[0]} does not run here: "
                                 f"{self.last_words((ended or [name])[0])}")
            time.sleep(0.05)

    def last_words(self, name):
        lines = (self.folder / f"{name}.log").read_text(errors="replace").splitlines()
        errors = [line for line in lines if "fatal" in line or "rror:" in line]
        return (errors or lines or ["it says nothing"])[-1][:200]

    def ask(self, *words):
        """What a command of Slurm prints; None: it has failed."""
        try:
            done = subprocess.run(words, capture_output=True, text=True, env=self.environment,
                                  timeout=PATIENCE, check=False)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def stop(self):
        """Ends jobs and daemons, and removes the folder. Returns the processes that are left."""
        if len(self.running) == len(DAEMONS):
            self.ask("scancel", "--user", getpass.getuser())
        for _, process in reversed(self.running):
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.running = []
        left = self.processes()
        end = time.monotonic() + PATIENCE
        while left and time.monotonic() < end:
            time.sleep(0.05)
            left = self.processes()
        shutil.rmtree(self.folder)
        return left

    def processes(self):
        """Those that have this Slurm in their environment: daemons, steps and tasks."""
        mine = f"SLURM_CONF={self.configuration}".encode()
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if mine in (path / "environ").read_bytes().split(b"\0"):
                    found.append((path / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue
        return found
