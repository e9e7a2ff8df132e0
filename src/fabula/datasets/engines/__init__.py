"""Engines: run a recipe into a folder, in this process, in several, or on a Ray cluster.

plan      the files of the data set, and what each holds
store     where they are written: on disk, or anywhere that fsspec reaches
shard     how one file is made of pieces
processes, on_ray   the workers that make the pieces
tally     statistics, counted on the fly
manifest  the manifest of the result
run       puts it all together: START HERE
"""

from fabula.datasets.engines.run import ENGINES, write
from fabula.datasets.engines.shard import Job
from fabula.datasets.engines.store import MANIFEST

__all__ = ["ENGINES", "MANIFEST", "Job", "write"]
