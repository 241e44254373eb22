"""What --help and the docstrings say of defaults, limits and choices is so."""

import inspect
import re

import numpy as np
import pytest

import local_entropy.cucim
import local_entropy.skimage
from local_entropy import _library, _question, diversity, entropy
from local_entropy.command.main import main
from local_entropy.command.options import EXAMPLES, parser, request_of

IMAGE = np.random.default_rng(10).integers(0, 9, (12, 13), dtype=np.uint8)


# ---- --help ------------------------------------------------------------------------------------

# The options that have a value where they are left out, which --help has in brackets.
USUAL = {"size": "9", "footprint": "square", "mode": "crop", "cval": "0", "index": "shannon",
         "base": "2", "dtype": "float32", "compress": "none", "colors": "viridis",
         "device": "auto", "memory": "512M"}


def test_the_help_names_each_value_that_an_option_has_unless_told():
    said = {action.dest: re.search(r"\[([^\]]*)\]$", action.help or "")
            for action in parser()._actions}
    found = {name: value[1].partition(",")[0] for name, value in said.items() if value}
    for name in ("levels", "fill", "band", "driver", "threads"):
        del found[name]  # in words
    assert found == USUAL


@pytest.mark.parametrize("name", USUAL)
def test_an_option_that_is_left_out_has_the_value_that_the_help_names(name):
    words = ["in.npy", "out.npy", *(["--mode", "constant"] if name == "cval" else [])]
    plain, told = (parser().parse_args(words + more) for more in ([], [f"--{name}", USUAL[name]]))
    assert request_of(plain) == request_of(told)
    if name in ("memory", "colors"):  # of which the request knows nothing
        assert getattr(plain, name) == getattr(told, name)


def test_the_help_has_the_limits_of_windows(capfd):
    said, = (action.help for action in parser()._actions if action.dest == "size")
    least, most = map(int, re.search(r"(\d+) to (\d+)", said).groups())
    for size, refused in ((least - 1, True), (least, False), (most, False), (most + 1, True)):
        main(["missing.npy", "out.npy", "--size", str(size)])
        assert (f"expected {least} to {most}" in capfd.readouterr().err) == refused


def test_the_help_has_the_exit_statuses(tmp_path, capfd):
    what = " ".join(EXAMPLES.partition("exit status: ")[2].split()).rstrip(".")
    said = {text.partition(" ")[2]: int(text[0]) for text in what.split(", ")}
    assert list(said) == ["if OUTPUT and PICTURE are there and whole", "if something failed",
                          "for wrong arguments"]
    whole, failed, wrong = said.values()
    np.save(tmp_path / "in.npy", IMAGE)
    words = [str(tmp_path / "in.npy"), str(tmp_path / "out.npy")]
    assert main(words) == whole and (tmp_path / "out.npy").is_file()
    assert main([str(tmp_path / "missing.npy"), words[1]]) == failed
    assert main([*words, "--size", "nine"]) == wrong


# ---- docstrings --------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [entropy, diversity, local_entropy.skimage.entropy,
                                      local_entropy.cucim.entropy])
def test_docstrings_describe_all_arguments_in_order(function):
    section = inspect.getdoc(function).partition("Parameters\n")[2].partition("Returns\n")[0]
    named = [name for line in re.findall(r"^(\w[\w, ]*) : ", section, re.MULTILINE)
             for name in line.split(", ")]
    there = list(inspect.signature(function).parameters)
    if function is diversity:  # "as for entropy, as are all arguments that are not described here"
        there = [name for name in there if name in named]
    assert named == there


def test_the_functions_have_the_same_defaults():
    """But that of the logarithm: bits, and nats, as the measure is usual."""
    first, second = ({name: each.default for name, each in
                      inspect.signature(function).parameters.items()}
                     for function in (entropy, diversity))
    assert (first.pop("base"), second.pop("base")) == (2, np.e)
    assert {name: second[name] for name in first} == first
    assert "2 gives bits" in entropy.__doc__
    assert "in nats unless `base` says otherwise" in diversity.__doc__


def test_what_entropy_does_unless_told_is_what_its_docstring_has():
    text = " ".join(entropy.__doc__.split())
    assert '"crop", nothing: windows are cut at the edge' in text
    size = int(re.search(r"1 to (\d+) each; (\d+) unless told", text)[2])
    for function in (entropy, diversity):
        usual = function(IMAGE)
        assert usual.dtype == np.float32
        np.testing.assert_array_equal(usual, function(
            IMAGE, (size, size), origin=0, mode="crop", empty=0.0, dtype=np.float32, clip=False))
    assert f"{size} unless told" in " ".join(diversity.__doc__.split())


def test_docstrings_have_the_choices_and_limits():
    text = " ".join(entropy.__doc__.split())
    choices = {name: eval(re.search(rf"{name} : (\{{.*?\}}),", text)[1])
               for name in ("mode", "device")}
    assert choices == {"mode": set(_question.MODES), "device": {"auto", "cpu"}}
    indices = re.search(r"index : (\{.*?\}),", " ".join(diversity.__doc__.split()))[1]
    assert eval(indices) == {"shannon", "simpson", "richness", "hill"}
    longest = int(re.search(r"1 to (\d+) each", text)[1])
    entropy(IMAGE, (1, longest))
    levels = int(re.search(r"How many levels there are, 2 to (\d+)", text)[1])
    entropy(IMAGE, levels=levels)
    sides = re.search(r"At most (\d+) x (\d+), unless all count", text).groups()
    sparse = np.ones([int(side) for side in sides])
    sparse[0, 0] = 0
    entropy(IMAGE, footprint=sparse)
    for wrong in ({"size": longest + 1}, {"levels": levels + 1},
                  {"footprint": np.pad(sparse, ((0, 0), (0, 1)))}):
        with pytest.raises(ValueError, match="expected"):
            entropy(IMAGE, **wrong)
    cells = int(re.search(r"of at most (\d+) cells and a million cells in all windows", text)[1])
    assert (cells, round(_library._FEW_CELLS / 1e6)) == (_library._FEW_RESULTS, 1)
