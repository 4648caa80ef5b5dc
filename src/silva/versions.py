"""What a report of a fault should say about the machine and the libraries on it."""

import platform
from importlib.metadata import PackageNotFoundError, version

from silva import __version__, _core

REQUIRED = ("numpy", "scipy", "scikit-learn", "narwhals", "rich")
OPTIONAL = (
    *("pandas", "polars", "pyarrow", "click", "duckdb", "openpyxl", "matplotlib"),
    *("sqlglot", "onnx", "dask", "shap"),
)


def show_versions() -> None:
    """Print what to report with a fault: versions, platform, instruction set and usable CPUs.

    The instruction set in use comes first among those that this machine supports, unless the
    environment variable SILVA_ISA names another one. Usable CPUs are those that `n_jobs=-1` uses:
    CPU affinity and the quota of the control group are respected. Optional libraries are listed
    where they are installed.

    Examples
    --------
    >>> import silva
    >>> silva.show_versions()  # doctest: +ELLIPSIS
    silva           ...
    """
    facts = _system() | _libraries()
    width = max(map(len, facts))
    for name, fact in facts.items():
        print(f"{name:<{width}}  {fact}")


def _system() -> dict[str, str]:
    available = ", ".join(_core.instruction_sets())
    return {
        "silva": __version__,
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": platform.platform(),
        "instruction set": f"{_core.instruction_set()} (available: {available})",
        "usable CPUs": str(_core.effective_threads(0)),
    }


def _libraries() -> dict[str, str]:
    """Versions of required libraries, installed or not, and of optional ones that are."""
    found = {name: _installed(name) for name in (*REQUIRED, *OPTIONAL)}
    return {
        name: known or "not installed" for name, known in found.items() if known or name in REQUIRED
    }


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
