"""Arrays in the memory of a GPU: by the CUDA runtime alone, by CuPy, by PyTorch; beside the CPU."""

import ctypes
import ctypes.util
import glob

import numpy as np
import pytest

import local_entropy
from local_entropy import LevelError, diversity, entropy

RANDOM = np.random.default_rng(10)
IMAGE = RANDOM.integers(0, 200, (67, 131), dtype=np.uint8)
QUESTIONS = [{}, {"size": (3, 5)}, {"size": 21, "mode": "reflect"}, {"mode": "wrap", "base": 10},
             {"footprint": np.eye(7)}, {"levels": 16, "range": (0, 256)}, {"nodata": 3, "size": 5},
             {"dtype": np.float64, "size": 5}, {"levels": 200, "origin": (1, -2)}]


def runtime():
    """The CUDA runtime, or None where there is none, or no GPU."""
    names = [ctypes.util.find_library("cudart"), "libcudart.so",
             *glob.glob("/usr/local/cuda*/lib64/libcudart.so*")]
    for name in filter(None, names):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        count = ctypes.c_int()
        if library.cudaGetDeviceCount(ctypes.byref(count)) == 0 and count.value:
            return library
    return None


def computes():
    """Whether this build of the library has code for GPUs."""
    class Nowhere:
        __cuda_array_interface__ = {"shape": (1, 1), "typestr": "|u1", "data": (256, False),
                                    "version": 3}

    class Result:
        __cuda_array_interface__ = {"shape": (1, 1), "typestr": "<f4", "data": (512, False),
                                    "version": 3}

    Result.__module__ = Nowhere.__module__
    try:
        entropy(Nowhere(), out=Result())
    except RuntimeError:
        return False
    except ValueError:
        return True
    return True


CUDA = runtime()
pytestmark = [pytest.mark.skipif(CUDA is None, reason="needs a GPU and the CUDA runtime"),
              pytest.mark.skipif(CUDA is not None and not computes(),
                                 reason="needs a library that was built with nvcc")]


def checked(status):
    assert status == 0, f"CUDA's error {status}"


class OnGpu:
    """An array in memory of cudaMalloc(), with the protocol and nothing else."""

    def __init__(self, array, stream=None):
        array = np.ascontiguousarray(array)
        self.like, self.data, self.stream = array, ctypes.c_void_p(), stream
        checked(CUDA.cudaMalloc(ctypes.byref(self.data), ctypes.c_size_t(max(1, array.nbytes))))
        checked(CUDA.cudaMemcpy(self.data, array.ctypes.data_as(ctypes.c_void_p),
                                ctypes.c_size_t(array.nbytes), 1))

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.like.shape, "typestr": self.like.dtype.str, "version": 3,
                "data": (self.data.value, False), "stream": self.stream}

    def host(self):
        """A copy, after the whole GPU has ended what it had to do."""
        checked(CUDA.cudaDeviceSynchronize())
        result = np.empty_like(self.like)
        checked(CUDA.cudaMemcpy(result.ctypes.data_as(ctypes.c_void_p), self.data,
                                ctypes.c_size_t(result.nbytes), 2))
        return result

    def __del__(self):
        CUDA.cudaFree(self.data)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: " ".join(question) or "usual")
def test_the_bits_are_those_of_the_cpu(question, dtype):
    image = IMAGE.astype(dtype)
    if dtype == "float32":
        question = {**question, "levels": 300, "range": (0, 300)}
    expected = entropy(image, **question)
    out = OnGpu(np.full_like(expected, 7))
    assert entropy(OnGpu(image), **{**question, "dtype": None}, out=out) is out
    np.testing.assert_array_equal(out.host(), expected)
    local_entropy.synchronize()


def test_diversity_masks_and_stacks():
    stack = RANDOM.integers(0, 9, (3, 40, 50), dtype=np.uint8)
    mask = stack > 2
    out = OnGpu(np.zeros(stack.shape, np.float32))
    diversity(OnGpu(stack), 7, "hill", q=2, mask=OnGpu(mask), out=out)
    np.testing.assert_array_equal(out.host(), diversity(stack, 7, "hill", q=2, mask=mask))


def test_a_cell_that_is_no_level_is_told_once():
    image = IMAGE.copy()
    image[:] = 0
    image[5, 9] = 100
    out = OnGpu(np.zeros(image.shape, np.float32))
    entropy(OnGpu(image), levels=16, out=out)
    told = r"the cell \[5, 9\] of an image .* is not a level"
    with pytest.raises(LevelError, match=told) as caught:
        local_entropy.synchronize()
    assert caught.value.index == (5, 9)
    local_entropy.synchronize()


def test_a_stream_of_ones_own():
    stream = ctypes.c_void_p()
    checked(CUDA.cudaStreamCreateWithFlags(ctypes.byref(stream), 1))  # does not wait for others
    image, out = OnGpu(IMAGE, stream.value), OnGpu(np.zeros(IMAGE.shape, np.float32), stream.value)
    entropy(image, 5, out=out)
    checked(CUDA.cudaStreamSynchronize(stream))
    np.testing.assert_array_equal(out.host(), entropy(IMAGE, 5))
    for number in (1, 2):  # the legacy and the per-thread default stream
        entropy(OnGpu(IMAGE, number), 7, out=OnGpu(np.zeros(IMAGE.shape, np.float32)))
    local_entropy.synchronize()
    checked(CUDA.cudaStreamDestroy(stream))


def test_arrays_in_host_memory_with_the_gpus():
    image = RANDOM.integers(0, 256, (6000, 7000), dtype=np.uint8)
    for _ in range(3):
        np.testing.assert_array_equal(entropy(image, 9), entropy(image, 9, device="cpu"))


def test_an_array_that_lies_in_host_memory():
    class Wrong:
        __cuda_array_interface__ = dict(IMAGE.__array_interface__, version=3)

    Wrong.__module__ = OnGpu.__module__
    with pytest.raises(ValueError, match="the image is not in the memory of a GPU"):
        entropy(Wrong(), out=OnGpu(np.zeros(IMAGE.shape, np.float32)))


# ---- CuPy and PyTorch --------------------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: " ".join(question) or "usual")
def test_cupy(question):
    cupy = pytest.importorskip("cupy", reason="needs CuPy")
    with cupy.cuda.Stream(non_blocking=True) as stream:
        image = cupy.asarray(IMAGE)
        found = entropy(image, **question)
        doubled = found * 2  # in the same stream: nobody has waited
        stream.synchronize()
    assert isinstance(found, cupy.ndarray)
    np.testing.assert_array_equal(found.get(), entropy(IMAGE, **question))
    np.testing.assert_array_equal(doubled.get(), 2 * entropy(IMAGE, **question))
    backwards = entropy(cupy.asarray(IMAGE)[::-1], 5, mask=cupy.asarray(IMAGE) > 9)
    np.testing.assert_array_equal(backwards.get(), entropy(IMAGE[::-1], 5, mask=IMAGE > 9))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: " ".join(question) or "usual")
def test_torch(question):
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    if not torch.cuda.is_available():
        pytest.skip("needs PyTorch with CUDA")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        image = torch.from_numpy(IMAGE).cuda()
        found = entropy(image, **question)
        doubled = found * 2
        stream.synchronize()
    assert isinstance(found, torch.Tensor) and found.is_cuda
    np.testing.assert_array_equal(found.cpu().numpy(), entropy(IMAGE, **question))
    np.testing.assert_array_equal(doubled.cpu().numpy(), 2 * entropy(IMAGE, **question))
    reals = torch.rand(31, 37, device="cuda", requires_grad=True)
    np.testing.assert_array_equal(
        entropy(reals, 5, levels=8, range=(0, 1)).cpu().numpy(),
        entropy(reals.detach().cpu().numpy(), 5, levels=8, range=(0, 1)))


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 3, 4)])
def test_no_cells(shape):
    cupy = pytest.importorskip("cupy", reason="needs CuPy")
    found = entropy(cupy.empty(shape, np.uint8), mask=cupy.empty(shape, bool))
    assert isinstance(found, cupy.ndarray) and found.shape == shape and found.dtype == np.float32


@pytest.mark.parametrize("shape", [(0, 4), (4, 0), (0, 3, 4)])
def test_no_cells_of_torch(shape):
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    if not torch.cuda.is_available():
        pytest.skip("needs PyTorch with CUDA")
    found = entropy(torch.empty(shape, dtype=torch.uint8, device="cuda"))
    assert found.is_cuda and found.shape == shape and found.dtype == torch.float32


def test_a_parameter_of_torch():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    if not torch.cuda.is_available():
        pytest.skip("needs PyTorch with CUDA")
    reals = torch.nn.Parameter(torch.rand(31, 37, device="cuda"))
    found = entropy(reals, 5, levels=8, range=(0, 1))
    assert type(found) is torch.Tensor and found.is_cuda
    np.testing.assert_array_equal(
        found.cpu().numpy(),
        entropy(reals.detach().cpu().numpy(), 5, levels=8, range=(0, 1)))


# ---- others ------------------------------------------------------------------------------------


def test_numba():
    cuda = pytest.importorskip("numba.cuda", reason="needs Numba")
    if not cuda.is_available():
        pytest.skip("needs Numba with CUDA")
    found = entropy(cuda.to_device(IMAGE), 5, mask=cuda.to_device(IMAGE > 9))
    assert cuda.is_cuda_array(found) and type(found).__module__.startswith("numba")
    np.testing.assert_array_equal(found.copy_to_host(), entropy(IMAGE, 5, mask=IMAGE > 9))


class Exporting:
    """An array with DLPack and nothing else."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, *, stream=None):
        return self.array.__dlpack__(stream=stream)


def test_dlpack_of_cupy():
    cupy = pytest.importorskip("cupy", reason="needs CuPy")
    with cupy.cuda.Stream(non_blocking=True):  # the image is made in it: who takes it must wait
        image = cupy.asarray(np.zeros_like(IMAGE)) + cupy.asarray(IMAGE)
        out = Exporting(cupy.zeros(IMAGE.shape, np.float32))
        assert entropy(Exporting(image), 5, out=out) is out
    np.testing.assert_array_equal(cupy.asnumpy(out.array), entropy(IMAGE, 5))


def test_dlpack_of_torch():
    torch = pytest.importorskip("torch", reason="needs PyTorch")
    if not torch.cuda.is_available():
        pytest.skip("needs PyTorch with CUDA")
    out = Exporting(torch.zeros(IMAGE.shape, dtype=torch.float64, device="cuda"))
    entropy(Exporting(torch.from_numpy(IMAGE).cuda()), 5, out=out)
    np.testing.assert_array_equal(out.array.cpu().numpy(), entropy(IMAGE, 5, dtype=np.float64))


def test_dask_refuses_chunks_of_cupy():
    da = pytest.importorskip("dask.array", reason="pip install dask[array]")
    cupy = pytest.importorskip("cupy", reason="needs CuPy")
    image = da.from_array(IMAGE, chunks=(40, 50)).map_blocks(cupy.asarray)
    with pytest.raises(TypeError, match="in the memory of a GPU, expected NumPy"):
        entropy(image, 5)
    found = entropy(image.map_blocks(cupy.asnumpy), 5).compute()
    np.testing.assert_array_equal(found, entropy(IMAGE, 5))
