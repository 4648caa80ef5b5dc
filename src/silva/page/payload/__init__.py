"""A fitted model and its records as one JSON document, the only thing that the page reads."""
