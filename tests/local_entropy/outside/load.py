"""The library by its name in a file system, as other languages load it: load.py LIBRARY."""

import ctypes
import sys
from ctypes import POINTER, byref, c_char_p, c_double, c_int32, c_int64, c_size_t, c_void_p


class Filter(ctypes.Structure):
    _fields_ = [("struct_size", c_size_t),
                ("width", c_int32), ("height", c_int32),
                ("origin_x", c_int32), ("origin_y", c_int32),
                ("footprint", c_void_p),
                ("levels", c_int32), ("binned", c_int32),
                ("low", c_double), ("high", c_double),
                ("clamp", c_int32), ("border", c_int32), ("constant", c_double),
                ("measure", c_int32), ("base", c_int32), ("order", c_double),
                ("empty", c_double),
                ("has_nodata", c_int32), ("nan_is_error", c_int32), ("nodata", c_double)]


class Array(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("type", c_int32),
                ("width", c_int64), ("height", c_int64), ("stride", c_int64)]


library = ctypes.CDLL(sys.argv[1])
library.le_last_error.restype = c_char_p
library.le_engine_create.argtypes = [c_void_p, POINTER(c_void_p)]
library.le_engine_destroy.argtypes = [c_void_p]
library.le_filter_init_sized.argtypes = [POINTER(Filter), c_size_t]
library.le_run.argtypes = [c_void_p, POINTER(Filter), POINTER(Array), c_void_p, c_void_p,
                           POINTER(Array), c_void_p]


def check(status):
    if status:
        sys.exit("load.py: " + library.le_last_error().decode())


UINT8, FLOAT32 = 0, 3
cells = (ctypes.c_uint8 * 16)(1, 2, 3, 4, 2, 3, 4, 5, 3, 4, 5, 6, 4, 5, 6, 7)
values = (ctypes.c_float * 16)()
engine, wanted = c_void_p(), Filter()
check(library.le_engine_create(None, byref(engine)))
check(library.le_filter_init_sized(byref(wanted), ctypes.sizeof(wanted)))
image = Array(ctypes.addressof(cells), UINT8, 4, 4, 0)
result = Array(ctypes.addressof(values), FLOAT32, 4, 4, 0)
check(library.le_run(engine, byref(wanted), byref(image), None, None, byref(result), None))
library.le_engine_destroy(engine)

corner, edge, middle = 1.52295506, 1.70455146, 1.84074879
rows = [[corner, edge, edge, corner], [edge, middle, middle, edge]]
expected = (ctypes.c_float * 16)(*(value for row in rows + rows[::-1] for value in row))
if bytes(values) != bytes(expected):
    sys.exit(f"load.py: other values: {list(values)}")
