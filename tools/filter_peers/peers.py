"""Who computes the entropy: each as a class with the same few members."""

import math
import os

import numpy

from bench import gpu_peers
from bench.gpu_peers import Skipped, module
from .octave import Octave
from .peer import OnDevice, Peer

# ---- local_entropy ------------------------------------------------------------------------------


class Library(Peer):
    """`column`: of the table, for others' times over this one's."""

    name = "local_entropy"

    def __init__(self, threads=None):
        """On all threads, unless told."""
        found = module("local_entropy")
        self.entropy, self.version = found.entropy, found.__version__
        self.threads = threads or len(os.sched_getaffinity(0))
        self.column = "to_one_thread" if threads == 1 else "to_all_threads"

    def prepare(self, image, footprint, mode="crop"):
        return lambda: self.entropy(image, footprint=footprint, mode=mode, device="cpu",
                                    threads=self.threads)


class LibraryOnGpu(OnDevice):
    """In a stream that waits for no other: what it gives is right only if it works there."""

    name, column = "local_entropy", "to_gpu"

    def __init__(self, kind):
        found = module("local_entropy")
        self.entropy, self.version = found.entropy, found.__version__
        self.kind = kind()
        self.arrays = self.kind.name
        try:
            self.prepare(numpy.zeros((8, 8), numpy.uint8), numpy.ones((3, 3), numpy.uint8))()
            self.wait()
        except RuntimeError as error:  # it is built without GPUs, or finds none
            raise Skipped(str(error)) from None

    def prepare(self, image, footprint, mode="crop"):
        with self.kind.stream():
            cells = self.kind.device(image)

        def once():
            with self.kind.stream():
                return self.entropy(cells, footprint=footprint, mode=mode)

        return once

    def wait(self):
        self.kind.wait()

    def host(self, result):
        with self.kind.stream():
            return self.kind.host(result)


class CuPyArrays:
    name = "CuPy"

    def __init__(self):
        self.cupy = gpu_peers.cupy_with_gpu()
        self.own = self.cupy.cuda.Stream(non_blocking=True)

    def stream(self):
        return self.own

    def device(self, image):
        return self.cupy.asarray(image)

    def wait(self):
        self.own.synchronize()

    def host(self, array):
        return self.cupy.asnumpy(array)


class TorchArrays:
    name = "PyTorch"

    def __init__(self):
        self.torch = module("torch")
        if not self.torch.cuda.is_available():
            raise Skipped("torch finds no GPU here")
        self.own = self.torch.cuda.Stream()

    def stream(self):
        return self.torch.cuda.stream(self.own)

    def device(self, image):
        return self.torch.from_numpy(image).cuda()

    def wait(self):
        self.own.synchronize()

    def host(self, array):
        return array.cpu().numpy()


# ---- others -------------------------------------------------------------------------------------


class ScikitImage(Peer):
    name = "scikit-image"

    def __init__(self):
        self.entropy = module("skimage.filters.rank").entropy
        self.version = module("skimage").__version__

    def prepare(self, image, footprint):
        return lambda: self.entropy(image, footprint)


class OpenCv(Peer):
    name = "OpenCV"

    def __init__(self):
        self.cv2 = module("cv2")
        self.version, self.threads = self.cv2.__version__, self.cv2.getNumThreads()

    def counts(self, cells, footprint):
        """How many of the cells around every cell are 1; none beyond the edge."""
        if footprint.all():
            height, width = footprint.shape
            return self.cv2.boxFilter(cells, self.cv2.CV_8U, (width, height), normalize=False,
                                      borderType=self.cv2.BORDER_CONSTANT)
        return self.cv2.filter2D(cells, self.cv2.CV_8U, footprint.astype(numpy.float32),
                                 borderType=self.cv2.BORDER_CONSTANT)

    def prepare(self, image, footprint):
        if numpy.count_nonzero(footprint) > 255:
            raise Skipped("counts of a byte are too small for the window")
        n_log_n = numpy.array([n * math.log2(n) if n else 0 for n in range(256)], numpy.float32)

        def once():
            total = numpy.zeros(image.shape, numpy.float32)
            for level in numpy.flatnonzero(numpy.bincount(image.ravel(), minlength=256)):
                cells = (image == level).view(numpy.uint8)
                self.cv2.add(total, self.cv2.LUT(self.counts(cells, footprint), n_log_n), total)
            n = self.counts(numpy.ones_like(image), footprint).astype(numpy.float32)
            return numpy.log2(n) - total / n

        return once


class CuCim(gpu_peers.CuCim, OnDevice):
    border, arrays = "reflect", "CuPy"


class Torch(gpu_peers.Torch, Peer):
    """Cuts windows at the edge."""

    def __init__(self):
        on_gpu = module("torch").cuda.is_available()
        super().__init__(device="cuda" if on_gpu else "cpu")
        self.name = "PyTorch"
        if on_gpu:
            self.runs_on, self.memory, self.arrays, self.threads = "GPU", "device", "PyTorch", ""
        else:
            self.threads = self.torch.get_num_threads()


# Name, for where it cannot be made, and what makes it. local_entropy's come first.
OURS = (("local_entropy, 1 thread", lambda: Library(1)), ("local_entropy, all", Library),
        ("local_entropy, CuPy", lambda: LibraryOnGpu(CuPyArrays)),
        ("local_entropy, PyTorch", lambda: LibraryOnGpu(TorchArrays)))
OTHERS = (("scikit-image", ScikitImage), ("OpenCV", OpenCv), ("Octave", Octave), ("cuCIM", CuCim),
          ("PyTorch", Torch))
