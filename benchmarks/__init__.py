"""Speed, memory and accuracy of silva beside its peers; `python -m benchmarks` prints them all."""
