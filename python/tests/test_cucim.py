"""The drop-in for cuCIM: beside the original, on the sample images of scikit-image, where there is
one; by the definition everywhere, with CuPy played by NumPy where there is no GPU."""

import contextlib
import sys
import types
import warnings

import numpy as np
import pytest
from reference import reference

from local_entropy import _library
from local_entropy.cucim import entropy

RANDOM = np.random.default_rng(12)
IMAGE = RANDOM.integers(0, 40, (29, 33), dtype=np.uint8)
DISK = (np.hypot(*np.mgrid[-3:4, -3:4]) <= 3).astype(np.uint8)


def module(name):
    try:
        return __import__(name, fromlist=["all"])
    except Exception:  # a package can fail in any way of its own
        return None


def gpu():
    """CuPy, if it has a GPU."""
    cupy = module("cupy")
    try:
        return cupy if cupy and cupy.cuda.runtime.getDeviceCount() else None
    except Exception:  # the driver is missing
        return None


class Played(np.ndarray):
    """An array of NumPy that says what one of CuPy does."""

    __module__ = "cupy"
    device = property(lambda self: contextlib.nullcontext())

    @property
    def __cuda_array_interface__(self):
        return dict(self.__array_interface__, version=3)


def cupy_played(monkeypatch):
    made = types.ModuleType("cupy")
    made.ndarray = Played
    made.asarray = lambda array: np.array(array).view(Played)
    made.asnumpy = lambda array: np.array(array)
    made.empty = lambda shape, dtype: np.empty(shape, dtype).view(Played)
    made.where = lambda *arrays: np.where(*arrays).view(Played)
    made.ascontiguousarray = lambda array: np.ascontiguousarray(array).view(Played)
    made.isnan, made.may_share_memory = np.isnan, np.may_share_memory
    stream = types.SimpleNamespace(ptr=0)
    made.cuda = types.SimpleNamespace(get_current_stream=lambda: stream)
    monkeypatch.setitem(sys.modules, "cupy", made)
    monkeypatch.setattr(_library, "enqueue", lambda engine, wanted, image, mask, result, stream:
                        _library.run(engine, wanted, image, mask, result))
    return made


@pytest.fixture(params=["played", "real"])
def cupy(request, monkeypatch):
    if request.param == "played":
        return cupy_played(monkeypatch)
    return gpu() or pytest.skip("needs CuPy and a GPU")


def by_definition(image, footprint, mask=None, origin=(0, 0)):
    """With the cell itself where no cell counts; a mask stands in the same mirror as the image."""
    levels = image.astype(int) if mask is None else np.where(mask > 0, image.astype(int), -1)
    expected = reference(levels, footprint > 0, mode="reflect", origin=origin, empty=np.nan)
    return np.where(np.isnan(expected), image, expected)


def check(cupy, found, expected, dtype=np.float32):
    assert isinstance(found, cupy.ndarray) and found.dtype == dtype
    np.testing.assert_allclose(cupy.asnumpy(found), expected, rtol=1e-7, atol=0)


# ---- by the definition -------------------------------------------------------------------------


@pytest.mark.parametrize("shifts", [{}, {"shift_x": 1, "shift_y": -2}, {"shifts": (-1, 2)}],
                         ids=str)
@pytest.mark.parametrize("footprint", [DISK, np.ones((5, 6)), np.eye(7) - 0.5],
                         ids=["disk", "even", "signs"])
def test_values_and_shifts(cupy, footprint, shifts):
    origin = shifts.get("shifts", (shifts.get("shift_y", 0), shifts.get("shift_x", 0)))
    found = entropy(cupy.asarray(IMAGE), cupy.asarray(footprint), **shifts)
    check(cupy, found, by_definition(IMAGE, footprint, origin=origin))


def test_a_footprint_of_numpy_and_images_in_reverse(cupy):
    found = entropy(cupy.asarray(IMAGE)[::-1], DISK)
    check(cupy, found, by_definition(IMAGE[::-1], DISK))


@pytest.mark.parametrize("mask", [IMAGE > 33, IMAGE % 7, (IMAGE % 5).astype(np.int16) - 2,
                                  (IMAGE > 36).astype(float)], ids=lambda mask: mask.dtype.name)
def test_masks(cupy, mask):
    found = entropy(cupy.asarray(IMAGE), cupy.asarray(DISK), mask=cupy.asarray(mask))
    expected = by_definition(IMAGE, DISK, mask)
    check(cupy, found, expected)
    assert mask.dtype != float or expected.max() > 6  # some window has no cell that counts


@pytest.mark.parametrize("mask", [None, IMAGE > 36], ids=["all", "mask"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.uint8, np.int32])
def test_out(cupy, dtype, mask):
    for out in (cupy.empty(IMAGE.shape, dtype), cupy.empty(IMAGE.shape[::-1], dtype).T):
        found = entropy(cupy.asarray(IMAGE), cupy.asarray(DISK), out,
                        None if mask is None else cupy.asarray(mask))
        assert found is out
        expected = by_definition(IMAGE, DISK, mask).astype(dtype)
        np.testing.assert_allclose(cupy.asnumpy(out), expected,
                                   rtol=1e-13 if dtype == np.float64 else 1e-7)


def test_integers_are_cut_off_of_doubles(cupy):
    """Of 65,025 cells one more is 0 than 1: less than a bit, and in single precision one."""
    image, out = (np.arange(255 * 255, dtype=np.uint8).reshape(255, 255) % 2,
                  cupy.empty((255, 255), np.uint8))
    entropy(cupy.asarray(image), np.ones((255, 255)), out)
    assert cupy.asnumpy(out)[127, 127] == 0


@pytest.mark.parametrize("dtype", [np.uint16, np.int16])
def test_all_levels_of_16_bits(cupy, dtype):
    image = (IMAGE.astype(int) * 800 - (0 if dtype == np.uint16 else 16000)).astype(dtype)
    found = entropy(cupy.asarray(image), cupy.asarray(DISK), cast_to_uint8=False)
    check(cupy, found, by_definition(IMAGE, DISK))


def test_errors(cupy):
    image, disk = cupy.asarray(IMAGE), cupy.asarray(DISK)
    for kind, arguments, named, match in [
            (ValueError, (IMAGE, disk), {}, "image must be a CuPy array"),
            (ValueError, (image > 3, disk), {}, "dtype cannot be bool"),
            (ValueError, (image, disk), {"mask": IMAGE}, "mask must be a CuPy array"),
            (ValueError, (image, disk), {"mask": image[1:]}, "mask has the shape"),
            (ValueError, (image, disk), {"out": np.zeros(IMAGE.shape)}, "out must be a CuPy"),
            (ValueError, (image, disk), {"shift_z": 1}, "shift_z is only valid"),
            (ValueError, (image, disk), {"out": cupy.empty((3, 3), np.float32)}, "out has the sh"),
            (ValueError, (image, (disk, disk)), {}, "footprint sequences are not supported"),
            (ValueError, (image, disk), {"shift_x": 1, "shifts": (0, 1)}, "must be 0 when"),
            (ValueError, (image, disk), {"shift_y": 1, "shifts": (0, 1)}, "must be 0 when"),
            (ValueError, (image, disk), {"shifts": (0, 1, 0)}, "expected 2"),
            (ValueError, (image, disk), {"shifts": (0, 4)}, "origin"),
            (ValueError, (image, disk), {"out": cupy.empty((3, 3), np.int32)}, "out has the shape"),
            (NotImplementedError, (image, disk), {"out": image[::-1]}, "in place"),
            (NotImplementedError, (image, disk), {"out": image}, "in place")]:
        with pytest.raises(kind, match=match):
            entropy(*arguments, **named)


def test_without_cucim(monkeypatch):
    cupy = cupy_played(monkeypatch)
    for name in ("cucim", "cucim.skimage", "cucim.skimage.filters.rank", "cucim.skimage.util"):
        monkeypatch.setitem(sys.modules, name, None)
    image, disk = cupy.asarray(IMAGE), cupy.asarray(DISK)
    check(cupy, entropy(image, disk), by_definition(IMAGE, DISK))
    for sides in (64, 2), (1, 255):  # all of their cells count
        check(cupy, entropy(image, np.ones(sides)), by_definition(IMAGE, np.ones(sides)))
    for arguments, named in [((cupy.asarray(np.zeros((3, 3, 3), np.uint8)), disk), {}),
                             ((image, disk), {"backend": "elementwise"}),
                             ((image, cupy.asarray(np.zeros((3, 3)))), {}),
                             ((image, cupy.asarray(np.eye(64))), {}),
                             ((image, cupy.asarray(np.ones((1, 256)))), {}),
                             ((cupy.asarray(IMAGE / 255), disk), {"cast_to_uint8": False})]:
        with pytest.raises(NotImplementedError, match="what .* needs cuCIM, which is not inst"):
            entropy(*arguments, **named)
    with pytest.warns(UserWarning, match="Possible precision loss converting image"), \
            pytest.raises(NotImplementedError, match="float64 as bytes needs cuCIM"):
        entropy(cupy.asarray(IMAGE / 255), disk)


def cucim_played(monkeypatch, name, **parts):
    """A module of cuCIM that has these parts, in packages that have none."""
    whole = f"cucim.skimage.{name}"
    for end in (i for i, letter in enumerate(whole + ".") if letter == "."):
        made = types.ModuleType(whole[:end])
        made.__path__ = []
        monkeypatch.setitem(sys.modules, whole[:end], made)
    vars(made).update(parts)


def test_all_arguments_go_to_cucim(monkeypatch):
    cupy, asked = cupy_played(monkeypatch), []
    cucim_played(monkeypatch, "filters.rank",
                 entropy=lambda *arguments, **named: asked.append((arguments, named)) or "theirs")
    image, mask, out = (cupy.asarray(np.zeros((3, 4, 5), np.uint16)) for _ in range(3))
    named = {"out": out, "mask": mask, "shift_x": 1, "shift_y": 2, "shift_z": 3,
             "shifts": (4, 5, 6), "backend": "histogram", "cast_to_uint8": False}
    disk = cupy.asarray(DISK)
    assert entropy(image, disk, **named) == "theirs"
    [(arguments, given)] = asked
    assert arguments[0] is image and arguments[1] is disk and given.keys() == named.keys()
    assert all(given[name] is value for name, value in named.items())


@pytest.mark.parametrize("dtype, warns", [("int64", False), ("float32", True)])
def test_other_types_become_bytes(monkeypatch, dtype, warns):
    cupy = cupy_played(monkeypatch)

    def as_bytes(image):
        warnings.warn("Downcasting int64 to uint8 without scaling because max value is small")
        return cupy.asarray(np.asarray(image).astype(np.uint8))

    cucim_played(monkeypatch, "util", img_as_ubyte=as_bytes)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = entropy(cupy.asarray(IMAGE.astype(dtype)), DISK)
    check(cupy, found, by_definition(IMAGE, DISK))
    assert [each.filename for each in said] == [__file__] * warns
    assert all("Possible precision loss" in str(each.message) for each in said)


# ---- beside the original -----------------------------------------------------------------------


@pytest.fixture
def original():
    rank = gpu() and module("cucim.skimage.filters.rank")
    return rank.entropy if rank else pytest.skip("needs cuCIM and a GPU")


def compare(original, *arguments, **named):
    """Values, type and warnings, of arrays that are put into the memory of the GPU."""
    cupy = gpu()

    def outcome(function):
        put = [cupy.asarray(array) for array in arguments]
        options = {name: cupy.asarray(value) if isinstance(value, np.ndarray) else value
                   for name, value in named.items()}
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            result = function(*put, **options)
        assert options.get("out") is None or result is options["out"]
        return result, [(each.category, str(each.message)) for each in said]

    (found, mine), (expected, theirs) = outcome(entropy), outcome(original)
    assert type(found) is type(expected) and mine == theirs
    assert found.dtype == expected.dtype and found.shape == expected.shape
    tolerance = {"float16": 1e-3, "float32": 3e-7, "float64": 1e-12}.get(found.dtype.name, 0)
    values = (cupy.asnumpy(array).astype(float) for array in (found, expected))
    np.testing.assert_allclose(*values, rtol=tolerance, atol=tolerance)


def sample(name):
    data = pytest.importorskip("skimage.data", reason="needs scikit-image")
    image = getattr(data, name)()
    return np.ascontiguousarray(image[..., 0] if image.ndim == 3 else image)


@pytest.mark.parametrize("footprint", [DISK, np.ones((9, 9)), np.ones((4, 7)), np.ones((25, 25))],
                         ids=["disk", "square", "even", "large"])
@pytest.mark.parametrize("name", ["camera", "coins", "page", "moon", "text", "astronaut"])
def test_sample_images(original, name, footprint):
    compare(original, sample(name), footprint)


@pytest.mark.parametrize("image", [IMAGE.astype(np.uint16), IMAGE.astype(np.uint16) * 900,
                                   IMAGE.astype(np.int16) * 300 - 5000, IMAGE.astype(np.int64),
                                   IMAGE / 255, (IMAGE / 40).astype(np.float32)],
                         ids=lambda image: image.dtype.name)
def test_other_types(original, image):
    compare(original, image, DISK)
    compare(original, image, DISK, cast_to_uint8=False)


@pytest.mark.parametrize("mask", [IMAGE > 33, IMAGE % 7, (IMAGE % 5).astype(np.int16) - 2,
                                  (IMAGE > 36).astype(float), IMAGE < 0],
                         ids=["bool", "uint8", "signs", "real", "none"])
def test_masks_of_the_original(original, mask):
    compare(original, IMAGE, DISK, mask=mask)
    compare(original, IMAGE, np.ones((4, 5)), mask=mask, shift_x=1)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.uint8, np.int32])
def test_out_of_the_original(original, dtype):
    """Of counts of three, so that no entropy but 0 is a whole number, which rounding could miss."""
    three = np.array([[0, 1, 0], [0, 1, 0], [0, 1, 0]])
    compare(original, IMAGE, three, out=np.zeros(IMAGE.shape, dtype))
    compare(original, IMAGE, three, out=np.zeros(IMAGE.shape, dtype), mask=IMAGE > 36)


@pytest.mark.parametrize("shape", [(4, 6), (1, 33), (29, 1), (3, 2)])
def test_images_smaller_than_the_window(original, shape):
    compare(original, IMAGE[:shape[0], :shape[1]], DISK)
    compare(original, IMAGE[:shape[0], :shape[1]], np.ones((9, 9)), shift_y=-1)


def test_what_goes_to_the_original(original):
    volume = RANDOM.integers(0, 9, (5, 6, 7), dtype=np.uint8)
    compare(original, volume, np.ones((3, 3, 3)), shift_z=1)
    compare(original, IMAGE, np.ones((5, 5)), backend="elementwise")
    compare(original, IMAGE, DISK, shifts=(1, -1))
