"""Kinds of arrays in the memory of GPUs: of CuPy, PyTorch, Numba, and of all that share it by a
protocol.

The protocols: DLPack, and __cuda_array_interface__, version 3:
https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html.
"""

from __future__ import annotations

import contextlib
import importlib
from typing import Any, ContextManager, Dict, Optional, Tuple

import numpy as np

from . import _library as library
from ._dlpack import CUDA_MEMORY, LEGACY_STREAM, Exported
from ._host import is_tensor


class Kind:
    """Arrays of which nothing is known but the protocol."""

    def bare(self, array: Any) -> Any:
        """The array, without what hides its memory."""
        return array

    def on_its_gpu(self, array: Any) -> ContextManager[Any]:
        """Makes the GPU of the array the current one."""
        return contextlib.nullcontext()

    def stream(self, array: Any) -> Optional[int]:
        """The stream in which the array may be used. None: any."""
        stream: Optional[int] = array.__cuda_array_interface__.get("stream")
        return stream

    def empty(self, array: Any, shape: Tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        """Another array of this kind."""
        raise ValueError(f"out is missing, expected for an image that is a {type_name(array)}")

    def enqueued(self) -> None:
        """Called when the result is on its way."""

    def packed(self, array: Any) -> Any:
        """The bare array, or a copy of it, whose rows have no gaps."""
        raise ValueError(f"the {type_name(array)} has rows with gaps or in reverse, expected "
                         "cells of a row side by side")


class _CuPy(Kind):
    def on_its_gpu(self, array: Any) -> ContextManager[Any]:
        device: ContextManager[Any] = array.device
        return device

    def stream(self, array: Any) -> Optional[int]:
        stream: int = importlib.import_module("cupy").cuda.get_current_stream().ptr
        return stream

    def empty(self, array: Any, shape: Tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        return importlib.import_module("cupy").empty(shape, dtype)

    def packed(self, array: Any) -> Any:
        return importlib.import_module("cupy").ascontiguousarray(array)


class _PyTorch(Kind):
    def bare(self, array: Any) -> Any:
        return array.detach()

    def on_its_gpu(self, array: Any) -> ContextManager[Any]:
        device: ContextManager[Any] = importlib.import_module("torch").cuda.device(array.device)
        return device

    def stream(self, array: Any) -> Optional[int]:
        torch = importlib.import_module("torch")
        stream: int = torch.cuda.current_stream(array.device).cuda_stream
        return stream

    def empty(self, array: Any, shape: Tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        torch = importlib.import_module("torch")
        return torch.empty(shape, dtype=getattr(torch, dtype.name), device=array.device)

    def packed(self, array: Any) -> Any:
        return self.bare(array).contiguous()


class _Numba(Kind):
    def empty(self, array: Any, shape: Tuple[int, ...], dtype: np.dtype[Any]) -> Any:
        return importlib.import_module("numba.cuda").device_array(shape, dtype)


class _DLPack(Kind):
    """Arrays with DLPack alone. It has no way to say in which stream a result will be: so wait."""

    def bare(self, array: Any) -> Any:
        return Exported(array.__dlpack__(stream=LEGACY_STREAM), LEGACY_STREAM)

    def enqueued(self) -> None:
        library.synchronize()


_ANY, _TORCH, _DLPACK = Kind(), _PyTorch(), _DLPack()
_KINDS: Dict[str, Kind] = {"cupy": _CuPy(), "numba": _Numba()}  # by the package of their type


def kind_of(array: Any) -> Optional[Kind]:
    """What kind of array in the memory of a GPU it is; None of all others."""
    if type(array) is np.ndarray:
        return None
    if is_tensor(array):  # of one with a gradient the protocol raises RuntimeError
        return _TORCH if array.is_cuda else None
    if hasattr(array, "__cuda_array_interface__"):
        return _KINDS.get(type(array).__module__.partition(".")[0], _ANY)
    if hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] == CUDA_MEMORY:
        return _DLPACK
    return None


def type_name(array: Any) -> str:
    return f"{type(array).__module__}.{type(array).__qualname__}"
