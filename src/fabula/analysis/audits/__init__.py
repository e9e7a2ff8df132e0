"""Audits of published data by routes of their own: they share no reader with the worlds."""
