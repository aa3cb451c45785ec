"""The command `scripts/lab`: builds and runs chapters, decides claims, draws figures and tables."""
