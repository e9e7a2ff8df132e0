"""The task set by the name that verifiers looks for: `vf-eval fabula-taskset`.

verifiers finds a task set by importing a top-level module of that name; the code is in
`fabula.integrations.verifiers`.
"""

from fabula.integrations.verifiers import FabulaTaskset, NullHarness

__all__ = ["FabulaTaskset", "NullHarness"]
