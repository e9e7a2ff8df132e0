"""Engines: run a recipe into a folder, here, on several processes, or on a Ray cluster.

plan      which files there will be, and what each holds
store     where they are written: on disk, or wherever fsspec reaches
shard     how one file is made of pieces
processes, on_ray   who makes the pieces
manifest  what is written about them
run       all of it: START HERE
"""

from fabula.datasets.engines.run import ENGINES, write
from fabula.datasets.engines.shard import Job
from fabula.datasets.engines.store import MANIFEST

__all__ = ["ENGINES", "MANIFEST", "Job", "write"]
