"""Entropy and diversity of the window around every cell of an image."""

from __future__ import annotations

import math
from typing import Any, Optional, Tuple, TypeVar, Union, overload

import numpy.typing as npt

from . import _dask, _device, _device_kinds, _host, _xarray
from ._host import Ndarray, is_plain
from ._library import Progress
from ._question import Request, check, entropy_in, index_of, window_of

Size = Union[int, Tuple[int, int]]
OnDevice = TypeVar("OnDevice", bound=_device.SupportsDevice)
OnDask = TypeVar("OnDask", bound=_dask.SupportsDask)


@overload
def entropy(image: OnDevice, size: Optional[Size] = ..., *,
            footprint: Optional[npt.ArrayLike] = ..., origin: Size = ...,
            levels: Optional[int] = ..., range: Optional[Tuple[float, float]] = ...,
            clip: bool = ..., mask: Optional[OnDevice] = ..., nodata: Optional[float] = ...,
            mode: str = ..., cval: float = ..., base: Union[float, str] = ..., empty: float = ...,
            out: Optional[OnDevice] = ..., dtype: Optional[npt.DTypeLike] = ..., device: str = ...,
            threads: Optional[int] = ..., progress: Optional[Progress] = ...) -> OnDevice: ...


@overload
def entropy(image: OnDask, size: Optional[Size] = ..., *,
            footprint: Optional[npt.ArrayLike] = ..., origin: Size = ...,
            levels: Optional[int] = ..., range: Optional[Tuple[float, float]] = ...,
            clip: bool = ..., mask: Any = ..., nodata: Optional[float] = ...,
            mode: str = ..., cval: float = ..., base: Union[float, str] = ..., empty: float = ...,
            out: Any = ..., dtype: Optional[npt.DTypeLike] = ..., device: str = ...,
            threads: Optional[int] = ..., progress: Optional[Progress] = ...) -> OnDask: ...


@overload
def entropy(image: npt.ArrayLike, size: Optional[Size] = ..., *,
            footprint: Optional[npt.ArrayLike] = ..., origin: Size = ...,
            levels: Optional[int] = ..., range: Optional[Tuple[float, float]] = ...,
            clip: bool = ..., mask: Optional[npt.ArrayLike] = ..., nodata: Optional[float] = ...,
            mode: str = ..., cval: float = ..., base: Union[float, str] = ..., empty: float = ...,
            out: Optional[Ndarray] = ..., dtype: Optional[npt.DTypeLike] = ..., device: str = ...,
            threads: Optional[int] = ..., progress: Optional[Progress] = ...) -> Ndarray: ...


def entropy(image: Any, size: Optional[Size] = None, *, footprint: Any = None, origin: Size = 0,
            levels: Optional[int] = None, range: Optional[Tuple[float, float]] = None,
            clip: bool = False, mask: Any = None, nodata: Optional[float] = None,
            mode: str = "crop", cval: float = 0, base: Union[float, str] = 2, empty: float = 0.0,
            out: Any = None, dtype: Optional[npt.DTypeLike] = None, device: str = "auto",
            threads: Optional[int] = None, progress: Optional[Progress] = None) -> Any:
    """Shannon entropy of the window around every cell of an image.

    Of a window with `N` cells that count, `n` of them of a level::

        H = -sum (n / N) log (n / N)

    Each result is the float nearest to the true value: it has the same bits on every processor,
    GPU and number of threads.

    Parameters
    ----------
    image : array_like, shape (..., rows, columns)
        An image, or a stack of images, each for itself: bool, integers or real numbers. Cells of
        bool, uint8, uint16, int16 and float32 are read where they lie, as long as a row has no
        gaps and rows are not in reverse; others are copied first. Arrays in the memory of a GPU
        stay there, see Notes.
    size : int or (int, int), optional
        Rows and columns of the window, 1 to 255 each; 9 unless told.
    footprint : array_like of shape (h, w), optional
        Instead of `size`: the cells around a cell that count, those that are not 0. At most 63 x
        63, unless all count.
    origin : int or (int, int), optional
        Placement of the window, by rows and columns, as in SciPy: the window of column `x` covers
        the columns ``x - w // 2 - origin`` and ``w - 1`` more.
    levels : int, optional
        How many levels there are, 2 to 65536. A cell is its level, 0 to ``levels - 1``; others
        raise `LevelError`. Without `levels` all cells of a bool or integer image are levels, as
        long as the largest and the smallest are less than 65536 apart. To know it, images of
        uint16, and wider or signed integers, are read once before.
    range : (float, float), optional
        With `levels`: cells are put into that many equal bins from `low` to `high`, in the units
        of the image. ``floor((cell - low) * (levels / (high - low)))`` in double precision is the
        level; `high` itself is in the last bin. Cells beyond raise `LevelError`, unless `clip`.
        Real numbers need `levels` and `range`.
    clip : bool, optional
        Cells beyond the levels are of the first or the last one. Without `levels` there are none
        beyond, and it changes nothing.
    mask : array_like, shape of the image or (rows, columns), optional
        Cells that are 0 or False in it do not count. (In `numpy.ma` it is the other way round; of a
        masked array, cells that are masked do not count.)
    nodata : float, optional
        Cells of this value do not count. NaN never does. It is rounded as the image's cells are:
        0.1 means the float32 nearest to it, if these are float32. A value that their type does not
        have, such as -1 in uint8, takes no cell away.
    mode : {"crop", "constant", "nearest", "reflect", "mirror", "wrap"}, optional
        What lies beyond the edge. With "crop", nothing: windows are cut at the edge. The others
        mean what they mean in SciPy.
    cval : float, optional
        For the mode "constant": the cell beyond the edge, as the image would hold it. NaN, which
        does not count, is none of an image of integers.
    base : {2, 10, math.e, "e"}, optional
        Of the logarithm: 2 gives bits, `math.e` nats.
    empty : float, optional
        The result where no cell of a window counts. It may be NaN.
    out : array, shape of the image, optional
        Where the result goes: float32 or float64. After an error it may hold anything. In host
        memory it may overlap the image or the mask; then there is a copy on the way.
    dtype : {float32, float64}, optional
        Of the result: float32, or that of `out`, unless told.
    device : {"auto", "cpu"}, optional
        With "auto" a large image in host memory may be shared with the GPUs of this machine.
    threads : int, optional
        At most so many; else as many as the process may run on, and of Dask arrays one.
    progress : callable, optional
        Called now and then with the part that is done, 0 to 1. What it raises ends the call, as
        Ctrl-C does. A GPU that takes part first ends the tiles that it has begun, which may take
        long with large windows in float64. With ``device="cpu"`` there is none to wait for. Without
        `progress`, Ctrl-C waits for the end of a short call: of at most 8192 cells and a million
        cells in all windows together. Not called for arrays in the memory of a GPU.

    Returns
    -------
    array, shape of the image
        `out`, or an array of the same kind as the image: NumPy, CuPy, PyTorch, Dask, xarray.

    Raises
    ------
    TypeError
        An argument is of a wrong type: a text for a number, a list for `out`, complex cells.
    ValueError
        An argument is impossible, or does not fit the image.
    LevelError
        A cell is not a level; it names the cell. A ValueError.
    MemoryError
        There is too little memory.
    RuntimeError
        The library cannot do this here, such as arrays of a GPU without one.

    See Also
    --------
    diversity : other measures of the same windows.
    local_entropy.skimage.entropy : with the arguments of scikit-image.

    Notes
    -----
    The call lets other threads of Python run, and may be made from several at once.

    Real numbers of float64, and integers wider than 16 bits, become levels in an array of float32
    first, by the rule above, in double precision.

    Arrays with ``__cuda_array_interface__`` are computed on their GPU, in the current stream of
    CuPy or PyTorch, or in the stream that the array names. The call returns before the GPU is done,
    and does not look at the cells: without `levels`, uint16 and int16 have 65536 levels, and fewer
    are faster. `local_entropy.synchronize` waits, and raises `LevelError` if a cell was no level.

    Of a Dask array the result is one, too, with the same chunks; nothing is computed yet. Each
    chunk is given the cells around it that windows reach. `levels` must be given, except for bool,
    uint8 and int8; `out` and `progress` must not. Each task takes one thread unless `threads` says
    otherwise, as Dask runs several at once. A cell that is no level is found when it is computed.

    Of an `xarray.DataArray` the result is one, too, with its coordinates, name and attributes; of
    these, `_FillValue` and others that say how the cells are stored are left out. Rows and columns
    are its last two dimensions. A mask that is one must have the same coordinates.

    References
    ----------
    .. [1] C. E. Shannon, "A Mathematical Theory of Communication", Bell System Technical Journal
       27, 1948, pp. 379-423.

    Examples
    --------
    >>> import numpy as np
    >>> from local_entropy import entropy
    >>> image = np.array([[1, 1, 2, 2],
    ...                   [1, 1, 2, 2],
    ...                   [3, 3, 4, 4],
    ...                   [3, 3, 4, 4]], dtype=np.uint8)
    >>> entropy(image, 3)
    array([[0.        , 0.91829586, 0.91829586, 0.        ],
           [0.91829586, 1.8365917 , 1.8365917 , 0.91829586],
           [0.91829586, 1.8365917 , 1.8365917 , 0.91829586],
           [0.        , 0.91829586, 0.91829586, 0.        ]], dtype=float32)

    Real numbers are put into bins; a mask takes cells away:

    >>> heights = np.linspace(0, 1, 16).reshape(4, 4)
    >>> entropy(heights, 3, levels=4, range=(0, 1), mask=heights > 0.1, dtype=np.float64)[0]
    array([0.        , 0.81127812, 0.97095059, 1.        ])

    A disk:

    >>> y, x = np.mgrid[-2:3, -2:3]
    >>> entropy(image, footprint=x**2 + y**2 <= 4, mode="reflect").round(2)[0]
    array([0.77, 1.24, 1.24, 0.77], dtype=float32)
    """
    return _compute(image, mask, out, Request(
        window_of(size, footprint, origin), entropy_in(base), levels, range, clip, nodata, mode,
        cval, empty, dtype, device, threads, progress))


@overload
def diversity(image: OnDevice, size: Optional[Size] = ..., index: str = ..., *,
              q: Optional[float] = ..., footprint: Optional[npt.ArrayLike] = ...,
              origin: Size = ..., levels: Optional[int] = ...,
              range: Optional[Tuple[float, float]] = ..., clip: bool = ...,
              mask: Optional[OnDevice] = ..., nodata: Optional[float] = ..., mode: str = ...,
              cval: float = ..., base: Union[float, str] = ..., empty: float = ...,
              out: Optional[OnDevice] = ..., dtype: Optional[npt.DTypeLike] = ...,
              device: str = ..., threads: Optional[int] = ...,
              progress: Optional[Progress] = ...) -> OnDevice: ...


@overload
def diversity(image: OnDask, size: Optional[Size] = ..., index: str = ..., *,
              q: Optional[float] = ..., footprint: Optional[npt.ArrayLike] = ...,
              origin: Size = ..., levels: Optional[int] = ...,
              range: Optional[Tuple[float, float]] = ..., clip: bool = ...,
              mask: Any = ..., nodata: Optional[float] = ..., mode: str = ...,
              cval: float = ..., base: Union[float, str] = ..., empty: float = ...,
              out: Any = ..., dtype: Optional[npt.DTypeLike] = ...,
              device: str = ..., threads: Optional[int] = ...,
              progress: Optional[Progress] = ...) -> OnDask: ...


@overload
def diversity(image: npt.ArrayLike, size: Optional[Size] = ..., index: str = ..., *,
              q: Optional[float] = ..., footprint: Optional[npt.ArrayLike] = ...,
              origin: Size = ..., levels: Optional[int] = ...,
              range: Optional[Tuple[float, float]] = ..., clip: bool = ...,
              mask: Optional[npt.ArrayLike] = ..., nodata: Optional[float] = ...,
              mode: str = ..., cval: float = ..., base: Union[float, str] = ...,
              empty: float = ..., out: Optional[Ndarray] = ...,
              dtype: Optional[npt.DTypeLike] = ..., device: str = ...,
              threads: Optional[int] = ..., progress: Optional[Progress] = ...) -> Ndarray: ...


def diversity(image: Any, size: Optional[Size] = None, index: str = "shannon", *,
              q: Optional[float] = None, footprint: Any = None, origin: Size = 0,
              levels: Optional[int] = None, range: Optional[Tuple[float, float]] = None,
              clip: bool = False, mask: Any = None, nodata: Optional[float] = None,
              mode: str = "crop", cval: float = 0, base: Union[float, str] = math.e,
              empty: float = 0.0, out: Any = None, dtype: Optional[npt.DTypeLike] = None,
              device: str = "auto", threads: Optional[int] = None,
              progress: Optional[Progress] = None) -> Any:
    """Diversity of the levels in the window around every cell of an image.

    Parameters
    ----------
    image : array_like, shape (..., rows, columns)
        As for `entropy`, as are all arguments that are not described here.
    size : int or (int, int), optional
        Rows and columns of the window; 9 unless told.
    index : {"shannon", "simpson", "richness", "hill"}, optional
        With `p` the part of a window's cells that is of a level:

        - "shannon": ``-sum p log p``, in nats unless `base` says otherwise;
        - "simpson": ``1 - sum p**2``, the Gini-Simpson index, 0 to 1;
        - "richness": how many levels there are;
        - "hill": ``(sum p**q) ** (1 / (1 - q))``, the Hill number of order `q`, the effective
          number of levels.
    q : float, optional
        The order of a Hill number, 0 or more, infinity allowed. 0: the richness; 1: the exponential
        of the entropy; infinity: ``1 / max p``.
    base : {2, 10, math.e, "e"}, optional
        Of the logarithm of "shannon". The other indices have none, and leave it unseen.

    Returns
    -------
    array, shape of the image
        float32, or float64 where `dtype` or `out` says so.

    See Also
    --------
    entropy : describes the other arguments, errors, and arrays in the memory of a GPU.

    References
    ----------
    .. [1] M. O. Hill, "Diversity and Evenness: A Unifying Notation and Its Consequences", Ecology
       54, 1973, pp. 427-432.
    .. [2] E. H. Simpson, "Measurement of Diversity", Nature 163, 1949, p. 688.

    Examples
    --------
    >>> import numpy as np
    >>> from local_entropy import diversity
    >>> cover = np.array([[1, 1, 1, 2],
    ...                   [1, 1, 2, 2],
    ...                   [1, 1, 2, 7]], dtype=np.uint8)
    >>> diversity(cover, 3, "richness")
    array([[1., 2., 2., 2.],
           [1., 2., 3., 3.],
           [1., 2., 3., 2.]], dtype=float32)
    >>> diversity(cover, 3, "hill", q=2, nodata=7).round(2)
    array([[1.  , 1.38, 2.  , 1.6 ],
           [1.  , 1.53, 2.  , 1.47],
           [1.  , 1.8 , 1.92, 1.  ]], dtype=float32)
    """
    return _compute(image, mask, out, Request(
        window_of(size, footprint, origin), index_of(index, q, base), levels, range, clip, nodata,
        mode, cval, empty, dtype, device, threads, progress))


def _compute(image: Any, mask: Any, out: Any, request: Request) -> Any:
    """Where the image lies, there it is computed."""
    check(request)
    return _compute_bare(image, mask, out, request)


def _compute_bare(image: Any, mask: Any, out: Any, request: Request) -> Any:
    """Of arrays that xarray may have labelled."""
    if is_plain(image) and (mask is None or is_plain(mask)):
        return _host.compute(image, mask, out, request)
    if _xarray.is_data_array(image):
        return _xarray.compute(image, mask, out, request, _compute_bare)
    if _xarray.is_data_array(mask):
        mask = mask.data
    if _dask.is_dask(image):
        return _dask.compute(image, mask, out, request)
    kind = _device_kinds.kind_of(image)
    if kind is not None:
        return _device.compute(kind, image, mask, out, request)
    if _host.is_tensor(image):
        return _host.compute_tensor(image, mask, out, request)
    return _host.compute(image, mask, out, request)
