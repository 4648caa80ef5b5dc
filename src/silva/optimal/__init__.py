"""Trees that are the best of all, with proofs: drivers of the exact search."""
