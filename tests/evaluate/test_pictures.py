"""Pictures of a report: one that cannot be drawn costs neither the page nor the others."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.evaluate.echo import Echo

import fabula
from fabula.evaluation.report import pictures
from fabula.evaluation.report.figures import Figure
from fabula.evaluation.run import evaluate


def figure(name: str, **changes: Any) -> Figure:
    spec = {
        "data": {"values": [{"a": 1, "b": 2}]},
        "width": "container",
        "mark": "bar",
        "encoding": {"x": {"field": "a", "type": "quantitative"}},
    }
    return Figure(name, name, {**spec, **changes})


def test_a_figure_that_is_not_understood_is_missing_and_the_others_are_there() -> None:
    found = pictures.draw([figure("one"), figure("bad", mark=7), figure("two")])
    assert sorted(found.drawn) == ["one", "two"]
    assert list(found.missing) == ["bad"]
    svg, png = found.drawn["two"]
    assert svg.startswith(b"<svg")
    assert png.startswith(b"\x89PNG")


@pytest.mark.parametrize("sign", ["\x01", "\x0c", "\0", "\ufffe", "\ud800"])
def test_characters_that_a_picture_cannot_have_cost_nothing(sign: str) -> None:
    rows = [{"a": f"x{sign}y", "b": 1}]
    axes = {"x": {"field": "a", "type": "nominal"}, "y": {"field": "b", "type": "quantitative"}}
    bad = figure("bad", data={"values": rows}, encoding=axes)._replace(title=f"of{sign}")
    found = pictures.draw([bad, figure("one")])
    assert (sorted(found.drawn), found.missing) == (["bad", "one"], {})
    assert "x\ufffdy" in found.drawn["bad"][0].decode()


def test_a_process_that_dies_takes_one_picture_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The converter ends its process at once, as for want of memory."""
    (tmp_path / "vl_convert.py").write_text(
        "import os\n"
        "def vegalite_to_svg(spec):\n"
        "    if spec['title'] == 'deadly':\n"
        "        os.abort()\n"
        "    return '<svg/>'\n"
        "def svg_to_png(svg, scale):\n"
        "    return b'png'\n"
    )
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    names = ["one", "deadly", "two", "three"]
    found = pictures.draw([figure(name) for name in names])
    assert sorted(found.drawn) == ["one", "three", "two"]
    assert found.missing == {"deadly": "the converter was ended by signal 6"}
    # if nothing at all can be drawn, it does not go on for ever
    dead = [figure(f"f{n}")._replace(title="deadly") for n in range(20)]
    assert len(pictures.draw(dead).missing) == 20


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited as Linux does it")
def test_without_memory_for_pictures_the_page_is_there(tmp_path: Path) -> None:
    run, page = tmp_path / "run", tmp_path / "page.html"
    evaluate(Echo(wrong=3), list(fabula.generate("babi/qa1", "test", 7, 40)), run, source="x")
    most = 3 << 30  # the JavaScript engine wants more room than that, Python does not

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))

    done = subprocess.run(
        [sys.executable, "-m", "fabula", "report", str(run), "--out", str(page)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Pictures not drawn: " in done.stderr
    assert "Wrote" in done.stdout
    missing = json.loads((page.with_suffix("") / "numbers.json").read_text())["missing_pictures"]
    assert {"outcomes", "baselines"} <= set(missing)
    assert not list(page.with_suffix("").glob("*.png"))
    text = page.read_text()
    assert text.endswith("</html>\n") or text.rstrip().endswith("</html>")
    assert "Missing pictures" in text
    assert "outcomes" in text
