"""Other people's implementations of what three chapters compute, measured by `scripts/lab peers`."""
