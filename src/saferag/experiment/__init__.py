"""Cells, runs, records and estimates."""
