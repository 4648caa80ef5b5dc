"""How many random cases the tests try: enough every day, all of them where a person asks."""

import os

IS_THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"


def tries(everyday: int, thorough: int) -> range:
    """Numbers of random cases; HYPOTHESIS_PROFILE=thorough takes the second count."""
    return range(thorough if IS_THOROUGH else everyday)
