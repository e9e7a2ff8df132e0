"""Findings of the papers as experiments: tables of trained models, and claims about them.

`spec` defines the file format, `reading` reads it, `run` trains what is missing, `judge` decides
which claims hold, and `page` writes the table next to the published results.
"""
