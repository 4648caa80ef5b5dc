"""Peak memory of one fit beyond its input, in a process of its own.

`python -m benchmarks.memory PEER ROWS COLUMNS DEPTH THREADS` (DEPTH 0: full tree) prints the bytes.
The input exists and the library is warm before the peak is reset, so only the fit is counted.
"""

import ctypes
import gc
import resource
import subprocess
import sys
from pathlib import Path

from benchmarks.data import two_classes
from benchmarks.peers import PEERS, Work

PROJECT = Path(__file__).resolve().parents[1]
WARM_ROWS = 2_000


def measure_apart(peer: str, n_rows: int, n_columns: int, work: Work) -> int:
    """Start a fresh process, fit there, and return the bytes its peak rose by."""
    sizes = map(str, (n_rows, n_columns, work.max_depth or 0, work.threads))
    command = [sys.executable, "-m", "benchmarks.memory", peer, *sizes]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"the memory run of {peer} failed:\n{done.stderr}")
    return int(done.stdout.split()[-1])


def measure_here(peer: str, n_rows: int, n_columns: int, work: Work) -> int:
    """Bytes by which a fit raises this process's peak over what it held just before."""
    library = PEERS[peer]
    library.fit(*two_classes(WARM_ROWS, n_columns, seed=1), work)
    X, y = two_classes(n_rows, n_columns)
    give_back_free_memory()
    before = reset_peak()
    model = library.fit(X, y, work)
    rise = peak_bytes() - before
    library.leaves(model)  # keeps the model alive until the peak was read
    return rise


def give_back_free_memory() -> None:
    """Return freed memory to the system, or a fit could reuse it without raising the peak."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
        if trim:
            trim(0)


def reset_peak() -> int:
    """Forget the peak so far and return the bytes resident now (Linux); elsewhere the old peak."""
    if not Path("/proc/self/status").exists():
        return peak_bytes()
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return status_bytes("VmHWM")
    return status_bytes("VmRSS")


def peak_bytes() -> int:
    """The highest resident size since the last reset."""
    if Path("/proc/self/status").exists():
        return status_bytes("VmHWM")
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def status_bytes(field: str) -> int:
    """A size from Linux's own account of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    line = next(line for line in lines if line.startswith(f"{field}:"))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    peer_name, *numbers = sys.argv[1:]
    rows, columns, depth, threads = map(int, numbers)
    print(measure_here(peer_name, rows, columns, Work(max_depth=depth or None, threads=threads)))
