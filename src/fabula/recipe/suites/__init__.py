"""The suites, as data files."""
