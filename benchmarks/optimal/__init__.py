"""The exact tree search beside its peers: `python -m benchmarks.optimal`."""
