"""Audits of published data; they share no reader with the worlds."""
