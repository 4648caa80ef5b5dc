"""The explorer page: a fitted model as one HTML file that people open, question and keep."""
