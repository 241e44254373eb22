"""What a peer is."""

import numpy


class Peer:
    """A peer has `name` and `version`, and in prepare() what computes the entropy once. An instance
    that cannot be made here throws Skipped; so does prepare() for a window that it cannot do."""

    runs_on = "CPU"
    memory = "host"    # where image and result are: "host" or "device"
    arrays = ""        # there, whose they are: "CuPy" or "PyTorch"
    threads = 1        # that it uses; "" on a GPU
    border = "crop"    # its rule, by local_entropy's name

    def wait(self):
        """Until what was begun is done."""

    def host(self, result):
        return numpy.asarray(result)

    def close(self):
        """Ends what it started."""


class OnDevice(Peer):
    runs_on, memory, threads = "GPU", "device", ""
