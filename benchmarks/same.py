"""Does the installed form of Fabula, compiled or not, give the golden instances byte for byte?

python -P benchmarks/same.py tests/golden
"""

from __future__ import annotations

import sys
from pathlib import Path

import orjson

import fabula
from fabula.world.actors import knowledge


def differing(folder: Path) -> tuple[int, list[str]]:
    """(instances compared, those that differ)."""
    count, bad = 0, []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_bytes().splitlines():
            record = orjson.loads(line)
            source = record["provenance"]
            changes = {"dialect": source["dialect"]} if source["dialect"] else {}
            again = fabula.instance(
                source["recipe"], source["split"], source["index"], source["seed"], **changes
            )
            made = again.to_json().replace(
                f'"version":"{fabula.__version__}"'.encode(), b'"version":"*"'
            )
            count += 1
            if made != line:
                bad.append(record["id"])
    return count, bad


if __name__ == "__main__":
    compared, wrong = differing(Path(sys.argv[1]))
    form = "pure" if str(knowledge.__file__).endswith(".py") else "compiled"
    print(f"{form}: {compared - len(wrong)} of {compared} golden instances are the same")
    for name in wrong:
        print(f"  {name} differs")
    sys.exit(1 if wrong or not compared else 0)
