"""Local entropy: of the window around every cell of an image, on CPUs and GPUs.

>>> import numpy as np
>>> import local_entropy
>>> image = np.arange(12, dtype=np.uint8).reshape(3, 4)
>>> local_entropy.entropy(image, 3).round(3)
array([[2.   , 2.585, 2.585, 2.   ],
       [2.585, 3.17 , 3.17 , 2.585],
       [2.   , 2.585, 2.585, 2.   ]], dtype=float32)
"""

from . import _starting  # noqa: F401  before what takes time
from ._device import synchronize
from ._library import LevelError, version
from .filters import diversity, entropy

__all__ = ["LevelError", "diversity", "entropy", "synchronize"]
__version__ = version()
