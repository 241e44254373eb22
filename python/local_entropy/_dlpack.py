"""What a DLPack capsule says of its array, by https://dmlc.github.io/dlpack/latest/c_api.html."""

from __future__ import annotations

import ctypes
from typing import Any, Dict

CUDA_MEMORY = 2  # kDLCUDA
LEGACY_STREAM = 1
_KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}


class _Tensor(ctypes.Structure):
    """DLTensor: the beginning of what a capsule points to."""

    _fields_ = [("data", ctypes.c_void_p),
                ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32),
                ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)),  # in elements; may be NULL
                ("byte_offset", ctypes.c_uint64)]


# A function of our own: that of ctypes.pythonapi has the types that whoever came last has set.
pointer_in = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


class Exported:
    """The array of a capsule, as one with __cuda_array_interface__.

    It keeps the capsule. Nobody consumes that one: when it goes, it frees what it holds.
    """

    def __init__(self, capsule: Any, stream: int) -> None:
        tensor = _Tensor.from_address(pointer_in(capsule, b"dltensor"))
        if tensor.code not in _KINDS or tensor.lanes != 1 or tensor.bits % 8:
            raise TypeError(f"the array has cells of DLPack's type {tensor.code} of {tensor.bits} "
                            f"bits and {tensor.lanes} lanes, expected integers or real numbers")
        size = tensor.bits // 8
        self._capsule = capsule
        self._facts: Dict[str, Any] = {
            "shape": tuple(tensor.shape[:tensor.ndim]),
            "typestr": f"{'|' if size == 1 else '<'}{_KINDS[tensor.code]}{size}",
            "data": ((tensor.data or 0) + tensor.byte_offset, False),
            "strides": tuple(size * step for step in tensor.strides[:tensor.ndim])
                       if tensor.strides else None,
            "version": 3, "stream": stream}

    @property
    def __cuda_array_interface__(self) -> Dict[str, Any]:
        return self._facts
