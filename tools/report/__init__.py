"""Reads results/, fills README.md and report.md from it, and says where they say something else."""
