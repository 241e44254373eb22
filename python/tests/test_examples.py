"""The examples: each is run as its reader would, and what it says is looked at."""

import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES, README = HERE.parent / "examples", HERE.parents[1] / "README.md"
SCRIPTS = "texture", "defects", "land_cover", "compare"
if not EXAMPLES.is_dir():
    pytest.skip("the examples are not beside these tests", allow_module_level=True)
pytest.importorskip("matplotlib", reason="needs matplotlib")
pytest.importorskip("skimage", reason="needs scikit-image")

import matplotlib.image  # noqa: E402


@pytest.fixture(scope="module")
def fonts(tmp_path_factory):
    """Matplotlib's list of fonts, made once. It has one for all environments of a user: another
    one's may lack fonts, which matplotlib then says on stderr."""
    folder = str(tmp_path_factory.mktemp("fonts"))
    subprocess.run([sys.executable, "-c", "import matplotlib.font_manager"], check=True,
                   env={**os.environ, "MPLCONFIGDIR": folder}, stderr=subprocess.DEVNULL)
    return folder


@pytest.fixture
def environment(tmp_path, fonts):
    """Without a display, and with nothing left behind."""
    return {**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": fonts,
            "PYTHONDONTWRITEBYTECODE": "1", **{name: str(tmp_path / "settings") for name in (
                "IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")}}


@pytest.fixture
def run(tmp_path, environment):
    """Runs a script in an empty folder: what it says."""
    def run_script(name, *options):
        ended = subprocess.run([sys.executable, EXAMPLES / f"{name}.py", *options], cwd=tmp_path,
                               env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True)
        assert ended.returncode == 0 and ended.stderr == "", ended.stderr
        return ended.stdout
    return run_script


def numbers(text):
    return [float(word) for word in re.findall(r"\d+\.?\d*(?:e-\d+)?", text)]


def check_picture(path):
    """It is small, not blank, and of the shape of the one that is committed."""
    picture = matplotlib.image.imread(path)
    assert path.stat().st_size < 300_000
    assert picture[..., :3].std() > 0.1
    assert picture.shape[:2] == matplotlib.image.imread(
        EXAMPLES / "pictures" / path.name).shape[:2]


@pytest.mark.parametrize("name", SCRIPTS)
def test_help(run, tmp_path, name):
    assert "--output FOLDER" in run(name, "--help")
    assert list(tmp_path.iterdir()) == []


def test_texture(run, tmp_path):
    said = run("texture", "--output", "pictures")
    threshold, sky, grass = numbers(said)[:3]
    assert 2.5 < threshold < 4.5 and sky < 5 and grass > 95, said
    check_picture(tmp_path / "pictures/texture.png")


def test_defects(run, tmp_path):
    said = run("defects", "--output", "pictures")
    scores = {line.split(":")[0]: numbers(line) for line in said.splitlines()[:3]}
    precision, recall, worn, corroded = scores["entropy"]
    assert precision > 0.95 and recall > 0.75 and worn > 0.85 and corroded > 0.6, said
    assert scores["mean"][1] < 0.02, said
    _, _, worn, corroded = scores["deviation"]
    assert worn > 0.7 and corroded < 0.02, said
    check_picture(tmp_path / "pictures/defects.png")


def test_land_cover(run, tmp_path):
    said = run("land_cover", "--output", "pictures")
    lines = [line.rsplit(": ", 1) for line in said.splitlines()[:4]]
    west, east, largest, unknown = np.array([numbers(line) for _, line in lines]).T
    assert [name for name, _ in lines] == ["Shannon", "Simpson", "richness", "Hill, q = 2"]
    assert (east > 1.5 * west).all(), said
    bounds = np.array([np.log(5), 1 - 1 / 5, 5, 5])  # of five kinds
    assert (largest <= bounds).all() and (largest > 0.85 * bounds).all(), said
    richness, hill = np.transpose([west, east, largest])[2:]
    assert (hill < richness).all(), said
    assert (unknown == unknown[0]).all() and 0 < unknown[0] < 10_000, said
    check_picture(tmp_path / "pictures/land_cover.png")


def test_compare(run, tmp_path):
    committed = (EXAMPLES / "compare.md").read_text()
    said = run("compare", "--output", "pictures", "--rounds", "1")
    assert (EXAMPLES / "compare.md").read_text() == committed
    page = (tmp_path / "pictures/compare.md").read_text()
    assert page in said
    rows = [line.split(" | ") for line in page.splitlines() if re.match(r"\| (\d|disk)", line)]
    assert len(rows) == 5
    for row in rows:
        assert 0 < numbers(row[-2])[0] < 2.5e-7 and numbers(row[-1])[0] < 1e-12, row
        assert numbers(row[-3])[0] > 1, row  # scikit-image takes longer
    assert "Machine: " in page and "{" not in page
    check_picture(tmp_path / "pictures/compare.png")


def test_without_a_folder_the_pictures_are_those_that_are_committed(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    output = __import__("shared").parser_of("").parse_args([]).output
    assert output == EXAMPLES / "pictures"
    assert sorted(path.stem for path in output.iterdir()) == sorted([*SCRIPTS, "entropy"])


def test_the_table_of_compare_is_where_its_picture_is_unless_it_is_asked_for_elsewhere(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    options_of = __import__("compare").options_of
    assert options_of([]).table == EXAMPLES / "compare.md"
    assert options_of(["--output", "there"]).table == pathlib.Path("there/compare.md")
    assert options_of(["--output", "there", "--table", "t.md"]).table == pathlib.Path("t.md")


def test_compare_refuses_what_differs(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    compare = __import__("compare")
    one = np.ones((2, 2), np.float64)
    results = {"scikit-image": one, "one thread": one.astype(np.float32) + np.float32(1e-6)}
    with pytest.raises(SystemExit, match="9 x 9: one thread differs by"):
        compare.largest_difference("9 x 9", results)
    with pytest.raises(SystemExit, match="differs by nan"):
        compare.largest_difference("9 x 9", {**results, "drop-in": one * np.nan, "one thread": one})


def test_the_picture_of_the_readme(tmp_path, environment):
    if not README.is_file():
        pytest.skip("the project's README is not there")
    code, picture = re.search(r"```python\n(.*?)```\n\n!\[[^\]]*\]\(python/(\S+)\)",
                              README.read_text(), re.DOTALL).groups()
    assert len(code.splitlines()) == 5
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    made = matplotlib.image.imread(tmp_path / pathlib.Path(picture).name)[..., :3]
    shown = matplotlib.image.imread(HERE.parent / picture)[..., :3]
    # Matplotlib of another year sets letters otherwise, which differs less than this; a window of
    # another size differs more.
    assert made.shape == shown.shape and abs(made - shown).mean() < 0.009


def test_the_notebook(tmp_path, environment, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient")
    pytest.importorskip("ipykernel", reason="needs ipykernel")
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("MPLBACKEND")
    notebook = nbformat.read(EXAMPLES / "tour.ipynb", as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    pictures = [output for cell in code for output in cell.outputs
                if "image/png" in output.get("data", {})]
    assert len(pictures) == 4
    assert not [output for cell in code for output in cell.outputs
                if output.output_type == "stream" and output.name == "stderr"]
