"""Arrays in the memory of GPUs, as far as no GPU is needed: le_enqueue() is played by le_run(), and
arrays of GPUs by arrays of NumPy."""

import contextlib
import ctypes
import sys
import types

import numpy as np
import pytest

from local_entropy import _dlpack, _library, diversity, entropy

RANDOM = np.random.default_rng(9)
IMAGE = RANDOM.integers(0, 9, (11, 13), dtype=np.uint8)


def facts(array):
    """The protocol's of that memory; the address of no cells is 0, as CuPy and PyTorch have it."""
    found = dict(array.__array_interface__)
    return found if array.size else dict(found, data=(0, False))


class Fake:
    """An array with the protocol, over the memory of one of NumPy; of a stream."""

    def __init__(self, array, stream=None):
        self.array, self.names_stream = array, stream

    @property
    def __cuda_array_interface__(self):
        return dict(facts(self.array), version=3, stream=self.names_stream)


class Strided(Fake):
    """One that names its strides, though NumPy leaves out those of a single row."""

    @property
    def __cuda_array_interface__(self):
        return dict(super().__cuda_array_interface__, strides=self.array.strides)


@pytest.fixture
def streams(monkeypatch):
    """Where calls were put."""
    used = []

    def play(engine, wanted, image, mask, result, stream):
        assert engine == _library.engine(*_library.ON_GPUS)  # that which synchronize() waits for
        used.append(stream)
        _library.run(engine, wanted, image, mask, result)

    monkeypatch.setattr(_library, "enqueue", play)
    return used


def filled(image=IMAGE, dtype=np.float32):
    return Fake(np.full(image.shape, 7, dtype))


# ---- arrays of which only the protocol is known ------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "int16"])
def test_integers(streams, dtype):
    image = (IMAGE % 2 if dtype == "bool" else IMAGE).astype(dtype)
    out = filled()
    assert entropy(Fake(image), 3, out=out) is out
    np.testing.assert_array_equal(out.array, entropy(image, 3))
    assert streams == [None]


def test_negative_integers(streams):
    image = (IMAGE * np.int16(8192)).astype(np.int16)
    out = filled()
    entropy(Fake(image), 3, out=out)
    np.testing.assert_array_equal(out.array, entropy(image, 3))


def test_reals(streams):
    image, out = RANDOM.random(IMAGE.shape).astype(np.float32), filled(dtype=np.float64)
    diversity(Fake(image), 5, "hill", q=2, levels=6, range=(0, 1), mode="wrap", out=out)
    np.testing.assert_array_equal(out.array, diversity(image, 5, "hill", q=2, levels=6,
                                                       range=(0, 1), mode="wrap", dtype="f8"))
    with pytest.raises(ValueError, match="expected levels and range"):
        entropy(Fake(image), out=out)


@pytest.mark.parametrize("mask", [IMAGE > 3, IMAGE % 3], ids=["bool", "uint8"])
def test_masks(streams, mask):
    out = filled()
    entropy(Fake(IMAGE), 3, mask=Fake(mask), out=out)
    np.testing.assert_array_equal(out.array, entropy(IMAGE, 3, mask=mask))


def test_stacks(streams):
    stack = RANDOM.integers(0, 9, (3, 2, 9, 8), dtype=np.uint8)
    mask, out = stack[1, 1] > 2, filled(stack)
    entropy(Fake(stack[::-1]), 3, mask=Fake(mask), out=out)
    np.testing.assert_array_equal(out.array, entropy(stack[::-1], 3, mask=mask))
    assert len(streams) == 6


def test_rows_with_gaps(streams):
    wide, out = np.zeros((11, 20), np.uint16), filled()
    wide[:, 3:16] = IMAGE
    around = Fake(np.full((11, 15), 7, np.float32)[:, 1:-1])
    entropy(Fake(wide[:, 3:16]), 3, out=around)
    np.testing.assert_array_equal(around.array, entropy(IMAGE, 3))
    entropy(Fake(IMAGE[:1]), 3, out=Fake(out.array[:1]))
    np.testing.assert_array_equal(out.array[:1], entropy(IMAGE[:1], 3))
    assert (around.array.base[:, [0, -1]] == 7).all()


@pytest.mark.parametrize("part", [np.s_[::-1], np.s_[:, ::-1], np.s_[:, ::2]])
def test_rows_that_cannot_be_gone_along(streams, part):
    usual = filled(IMAGE[part])
    with pytest.raises(ValueError, match="rows with gaps or in reverse"):
        entropy(Fake(IMAGE[part]), out=usual)
    with pytest.raises(ValueError, match="the mask has rows with gaps or in reverse"):
        entropy(Fake(IMAGE[part].copy()), mask=Fake(IMAGE[part]), out=usual)
    with pytest.raises(ValueError, match="out has rows with gaps or in reverse"):
        entropy(Fake(IMAGE[part].copy()), out=Fake(filled().array[part]))
    assert not streams


def test_one_row_or_one_column_of_another_image(streams):
    """Whose stride along it says nothing."""
    for part in (np.s_[::-1], np.s_[:1]), (np.s_[:, ::2], np.s_[:, :1]):
        image = IMAGE
        for places in part:
            image = image[places]
        for fake in (Fake(image), Strided(image)):
            out = filled(image)
            entropy(fake, 3, out=out)
            np.testing.assert_array_equal(out.array, entropy(image, 3))


def test_a_mask_of_another_kind():
    class Other:
        """An array on a GPU with DLPack alone."""

        def __dlpack_device__(self):
            return 2, 0

    with pytest.raises(TypeError, match="mask is a .*Other, expected a .*Fake as the image is one"):
        entropy(Fake(IMAGE), mask=Other(), out=filled())


def test_rows_that_are_no_whole_number_of_cells_apart(streams):
    between = np.lib.stride_tricks.as_strided(np.zeros(200, np.float32), IMAGE.shape, (54, 4))
    with pytest.raises(ValueError, match="the image has|the .* has rows with gaps"):
        entropy(Fake(between), levels=4, range=(0, 1), out=filled())
    with pytest.raises(ValueError, match="out has rows with gaps"):
        entropy(Fake(IMAGE), out=Fake(between))
    assert not streams


def test_nodata_of_zero(streams):
    out = filled()
    entropy(Fake(IMAGE), 3, nodata=0, out=out)
    np.testing.assert_array_equal(out.array, entropy(IMAGE, 3, nodata=0))


def test_nodata_that_is_rounded(streams):
    """0.1 is no float32: the cell nearest to it is meant, and so by the border."""
    image, out = (IMAGE / np.float32(10)).astype(np.float32), filled()
    asked = {"levels": 6, "range": (0, 1), "nodata": 0.1, "mode": "constant", "cval": 0.1}
    entropy(Fake(image), 3, out=out, **asked)
    np.testing.assert_array_equal(out.array, entropy(image, 3, **asked))


def test_refused(streams):
    image, out = Fake(IMAGE), filled()
    for kind, arguments, match in [
            (ValueError, {}, "out is missing, expected for an image that is a .*Fake"),
            (ValueError, {"out": out, "device": "cpu"}, "the image is in the memory of a GPU"),
            (TypeError, {"out": out, "mask": IMAGE}, "mask is a numpy.ndarray, expected a .*Fake"),
            (TypeError, {"out": out.array}, "out is a numpy.ndarray, expected a .*Fake"),
            (ValueError, {"out": filled(IMAGE[1:])}, r"out has the shape \(10, 13\), the image"),
            (TypeError, {"out": filled(dtype=np.int32)}, "the out is int32 in the memory"),
            (ValueError, {"out": out, "mask": Fake(IMAGE[1:])}, "the mask has the shape"),
            (TypeError, {"out": out, "mask": Fake(IMAGE * 1.0)}, "the mask is float64"),
            (TypeError, {"out": out, "mask": Fake(IMAGE * np.float32(1))}, "the mask is float32"),
            (TypeError, {"out": out, "mask": Fake(IMAGE.astype(np.int8))}, "the mask is int8"),
            (ValueError, {"out": out, "dtype": np.float64}, "out is float32, dtype float64")]:
        with pytest.raises(kind, match=match):
            entropy(image, 3, **arguments)
    for dtype in ("int32", "float64"):
        with pytest.raises(TypeError, match=f"the image is {dtype} in the memory of a GPU, "
                           "expected uint8, uint16, int16, float32, bool: convert it there"):
            entropy(Fake(IMAGE.astype(dtype)), out=out, levels=9, range=(0, 9))
    with pytest.raises(ValueError, match="1 dimensions"):
        entropy(Fake(IMAGE[0]), out=out)
    assert not streams


def test_a_result_over_the_image(streams):
    stack = RANDOM.random((3, 5, 6)).astype(np.float32)
    bins = {"levels": 4, "range": (0, 1)}
    for image, out in ((stack, stack), (stack, stack[::-1]), (stack[0], stack[0]),
                       (stack[:2], stack[:0:-1]), (stack[:0:-1], stack[:2])):
        with pytest.raises(ValueError, match="out overlaps the image or the mask"):
            entropy(Fake(image), out=Fake(out), **bins)
    mask = stack[1].view(np.uint8)[:, :6]
    with pytest.raises(ValueError, match="out overlaps the image or the mask"):
        entropy(Fake(stack[0]), mask=Fake(mask), out=Fake(stack[1]), **bins)
    # They have one cell in common: the last of one is the first of the other.
    image, out = (Fake(stack.reshape(-1)[first:first + 30].reshape(5, 6)) for first in (0, 29))
    for image, out in ((image, out), (out, image)):
        with pytest.raises(ValueError, match="out overlaps the image or the mask"):
            entropy(image, out=out, **bins)
    assert not streams
    entropy(Fake(stack[0]), out=Fake(stack[1]), **bins)


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 3, 4)])
def test_no_cells(streams, cupy, torch, shape):
    image, out = (np.empty(shape, dtype) for dtype in (np.uint8, np.float32))
    for kind in (Fake, cupy, torch):
        given = kind(out)
        for mask in (None, kind(image)):
            assert entropy(kind(image), mask=mask, out=given) is given
    for kind in (cupy, torch):
        found = entropy(kind(image))
        assert type(found) is kind and found.array.shape == shape
    assert not streams


def test_streams(streams):
    image, mask, out = Fake(IMAGE, 0x70), Fake(IMAGE, 0x70), filled()
    entropy(image, out=out)
    entropy(Fake(IMAGE), mask=mask, out=out)
    entropy(image, mask=mask, out=out)
    assert streams == [0x70] * 3
    with pytest.raises(ValueError, match="different streams: .*mask in 0x70, out in 0x90"):
        entropy(image, mask=mask, out=Fake(out.array, 0x90))
    with pytest.raises(ValueError, match="different streams: image in 0x0, mask in 0x70"):
        entropy(Fake(IMAGE, 0), mask=mask, out=out)


def test_a_mask_of_the_protocol(streams):
    class Masked(Fake):
        @property
        def __cuda_array_interface__(self):
            return dict(super().__cuda_array_interface__, mask=Fake(IMAGE))

    with pytest.raises(ValueError, match="has a mask of its own"):
        entropy(Masked(IMAGE), out=filled())


def test_without_a_gpu():
    with pytest.raises((RuntimeError, ValueError), match="GPU|CUDA"):
        entropy(Fake(IMAGE), out=filled())  # with a GPU: it is not in its memory


# ---- CuPy and PyTorch, played ------------------------------------------------------------------


def played(package, module_parts):
    """A class that claims to be of that package, which has these parts."""
    kind = type("ndarray", (Fake,), {"__module__": f"{package}.core"})
    module = types.ModuleType(package)
    vars(module).update(module_parts)
    return kind, module


@pytest.fixture
def cupy(monkeypatch):
    entered = []

    @contextlib.contextmanager
    def device():
        entered.append("in")
        yield
        entered.append("out")

    cuda = types.SimpleNamespace(
        get_current_stream=lambda: types.SimpleNamespace(ptr=0x50 if entered[-1:] == ["in"] else 0))
    kind, module = played("cupy", {"cuda": cuda})
    kind.device = property(lambda self: device())
    module.empty = lambda shape, dtype: kind(np.empty(shape, dtype))
    module.ascontiguousarray = lambda array: kind(np.ascontiguousarray(array.array))
    monkeypatch.setitem(sys.modules, "cupy", module)
    return kind


def test_cupy(streams, cupy):
    found = entropy(cupy(IMAGE[:, ::-1]), 3, mask=cupy(IMAGE > 2), dtype=np.float64)
    assert type(found) is cupy and found.array.dtype == np.float64
    np.testing.assert_array_equal(found.array, entropy(IMAGE[:, ::-1], 3, mask=IMAGE > 2,
                                                       dtype=np.float64))
    assert streams == [0x50]


def test_numba(streams, monkeypatch):
    kind, module = played("numba", {})
    module.__path__ = []
    cuda = types.ModuleType("numba.cuda")
    cuda.device_array = lambda shape, dtype: kind(np.empty(shape, dtype))
    monkeypatch.setitem(sys.modules, "numba", module)
    monkeypatch.setitem(sys.modules, "numba.cuda", cuda)
    for dtype in (np.float32, np.float64):
        found = entropy(kind(IMAGE, 0x40), 3, dtype=dtype)
        assert type(found) is kind and found.array.dtype == dtype
        np.testing.assert_array_equal(found.array, entropy(IMAGE, 3, dtype=dtype))
    assert streams == [0x40] * 2


@pytest.fixture
def torch(monkeypatch):
    on = []

    @contextlib.contextmanager
    def device(which):
        on.append(which)
        yield
        on.pop()

    def current_stream(which):
        return types.SimpleNamespace(cuda_stream=0x60 if which == "cuda:1" else 0)

    cuda = types.SimpleNamespace(device=device, current_stream=current_stream)
    kind, module = played("torch", {"cuda": cuda, "float32": np.float32, "float64": np.float64})
    kind.is_cuda, kind.device = True, "cuda:1"

    def said(self):
        if self.names_stream == "has a gradient":
            raise RuntimeError("call detach() first")
        return dict(facts(self.array), version=2)

    kind.__cuda_array_interface__ = property(said)
    kind.detach = lambda self: kind(self.array)
    kind.contiguous = lambda self: kind(np.ascontiguousarray(self.array), self.names_stream)

    def empty(shape, dtype, device):
        assert on == [device] == ["cuda:1"]
        return kind(np.empty(shape, dtype))

    module.empty, module.Tensor = empty, kind
    monkeypatch.setitem(sys.modules, "torch", module)
    return kind


def test_torch(streams, torch):
    for kind in (torch, type("Parameter", (torch,), {"__module__": "torch.nn.parameter"}),
                 type("Own", (torch,), {})):
        found = entropy(kind(IMAGE[::-1], "has a gradient"), 3)
        assert type(found) is torch and found.array.dtype == np.float32
        np.testing.assert_array_equal(found.array, entropy(IMAGE[::-1], 3))
    out = torch(np.empty(IMAGE.shape))
    assert entropy(torch(IMAGE), 3, out=out) is out
    np.testing.assert_array_equal(out.array, entropy(IMAGE, 3, dtype=np.float64))
    assert streams == [0x60] * 4


@pytest.fixture
def tensor(monkeypatch):
    """What a tensor in host memory is to the package."""

    class Tensor:
        is_cuda = False

        def __init__(self, array):
            self.array = array

        def detach(self):
            return self

        def numpy(self):
            return self.array

    Tensor.__module__ = "torch"
    module = types.ModuleType("torch")
    module.from_numpy, module.Tensor = Tensor, Tensor
    monkeypatch.setitem(sys.modules, "torch", module)
    return Tensor


def test_tensors_in_host_memory(tensor):
    for kind in (tensor, type("Parameter", (tensor,), {"__module__": "torch.nn.parameter"}),
                 type("Own", (tensor,), {})):
        found = entropy(kind(IMAGE), 3, mask=tensor(IMAGE > 2))
        assert type(found) is tensor
        np.testing.assert_array_equal(found.array, entropy(IMAGE, 3, mask=IMAGE > 2))
    out = tensor(np.empty(IMAGE.shape))
    assert entropy(tensor(IMAGE), 3, out=out) is out
    np.testing.assert_array_equal(out.array, entropy(IMAGE, 3, dtype=np.float64))


# ---- DLPack ------------------------------------------------------------------------------------


class Packed:
    """An array with DLPack alone, over the memory of one of NumPy."""

    def __init__(self, array, kind):
        self.array, self.kind, self.asked = array, kind, []

    def __dlpack_device__(self):
        return self.kind, 0

    def __dlpack__(self, *, stream=None, **others):
        self.asked.append(stream)
        return self.array.__dlpack__()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "uint16", "int16", "float32"])
def test_dlpack_of_a_gpu(streams, monkeypatch, dtype):
    waited = []
    monkeypatch.setattr(_library, "synchronize", lambda: waited.append(len(streams)))
    if dtype == "bool" and np.lib.NumpyVersion(np.__version__) < "1.25.0":
        pytest.skip("needs NumPy 1.25, whose capsules may have bool")
    image = np.pad(IMAGE % 2 if dtype == "bool" else IMAGE, 2).astype(dtype)[1:-1, 1:-1]
    bins = {"levels": 9, "range": (0, 9)} if dtype == "float32" else {}
    given, mask, out = (Packed(array, 2) for array in (image, (image > 0).astype(np.uint8),
                                                       np.empty(image.shape, np.float32)))
    assert entropy(given, 3, mask=mask, out=out, **bins) is out
    np.testing.assert_array_equal(out.array, entropy(image, 3, mask=image > 0, **bins))
    assert streams == given.asked == out.asked == [1] and waited == [1]


def test_dlpack_of_the_host():
    hidden = np.ma.array(IMAGE, mask=IMAGE == 4)
    mask = (IMAGE > 2).astype(np.uint8)
    expected = entropy(IMAGE, 3, mask=mask)
    np.testing.assert_array_equal(entropy(Packed(IMAGE, 1), 3, mask=Packed(mask, 1)), expected)
    np.testing.assert_array_equal(entropy(IMAGE, 3, mask=Packed(mask, 1)), expected)
    np.testing.assert_array_equal(entropy(hidden, 3, mask=Packed(mask, 1)),
                                  entropy(IMAGE, 3, mask=(IMAGE != 4) & (IMAGE > 2)))


def test_errors_name_the_array_that_was_given(streams, cupy):
    given, out = Packed(IMAGE, 2), Packed(np.empty(IMAGE.shape, np.float32), 2)
    with pytest.raises(ValueError, match=r"out is missing, .* that is a test_device\.Packed$"):
        entropy(given)
    with pytest.raises(ValueError, match=r"the test_device\.Packed has rows with gaps"):
        entropy(Packed(IMAGE[::-1], 2), out=out)
    for name, others in ("mask", {"out": out}), ("out", {}):
        with pytest.raises(TypeError, match=rf"{name} is a cupy\.core\.ndarray, expected a "
                                            r"test_device\.Packed as"):
            entropy(given, **{name: cupy(IMAGE)}, **others)


def test_dlpack_of_complex_numbers(streams):
    with pytest.raises(TypeError, match="DLPack's type 5 of 128 bits"):
        entropy(Packed(IMAGE * 1j, 2))


def exported_by(code, bits, lanes, offset=0):
    """Of a capsule that NumPy makes none such of: 2 x 3 cells, and where they begin."""
    cells = np.arange(12, dtype=np.int16)
    shape = (ctypes.c_int64 * 2)(2, 3)
    tensor = _dlpack._Tensor(cells.ctypes.data, 2, 0, 2, code, bits, lanes, shape, None, offset)
    new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
        ("PyCapsule_New", ctypes.pythonapi))
    return cells, _dlpack.Exported(new(ctypes.addressof(tensor), b"dltensor", None), 1)


@pytest.mark.parametrize("code, bits, lanes", [(2, 16, 2), (0, 8, 4), (1, 4, 1), (0, 12, 1),
                                               (4, 16, 1)])
def test_dlpack_of_cells_that_are_no_numbers(code, bits, lanes):
    with pytest.raises(TypeError, match=f"type {code} of {bits} bits and {lanes} lanes, expected"):
        exported_by(code, bits, lanes)


def test_dlpack_with_an_offset():
    cells, exported = exported_by(0, 16, 1, 4)
    assert exported.__cuda_array_interface__ == {
        "shape": (2, 3), "typestr": "<i2", "data": (cells.ctypes.data + 4, False), "strides": None,
        "version": 3, "stream": 1}


def test_other_libraries_set_types_of_ctypes(monkeypatch):
    shared = ctypes.pythonapi.PyCapsule_GetPointer
    monkeypatch.setattr(shared, "argtypes", [ctypes.c_int])
    monkeypatch.setattr(shared, "restype", ctypes.c_int)
    cells, exported = exported_by(0, 16, 1)
    assert exported.__cuda_array_interface__["data"] == (cells.ctypes.data, False)


@pytest.mark.parametrize("kind", [1, 3], ids=["host", "pinned"])
def test_dlpack_of_host_memory(kind):
    found = entropy(Packed(IMAGE, kind), 3)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, entropy(IMAGE, 3))


def test_capsules_give_back_what_they_hold(streams):
    import gc
    import weakref

    class Owner(np.ndarray):
        pass

    owner = np.zeros((5, 5), np.uint8).view(Owner)
    gone = weakref.ref(owner)
    entropy(Packed(owner, 2), 3, out=Packed(np.empty((5, 5), np.float32), 2))
    exported = _dlpack.Exported(owner.__dlpack__(), 1)
    del owner
    gc.collect()
    assert gone() is not None  # as long as the cells may be read
    del exported
    gc.collect()
    assert gone() is None
