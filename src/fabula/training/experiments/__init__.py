"""Findings of the papers as experiments: tables of trained models, and claims about them.

`spec` is what a file says, `reading` reads it, `run` trains what is missing, `judge` tells which
claims hold, `page` writes the table beside the published figures.
"""
