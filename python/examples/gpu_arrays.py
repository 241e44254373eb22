"""Arrays in the memory of a GPU, of CuPy or of PyTorch, whichever is installed."""

import importlib

import local_entropy


def on_gpu(image):
    """The image in the memory of a GPU, or None."""
    for module, put in (("cupy", lambda cupy: cupy.asarray(image)),
                        ("torch", lambda torch: torch.as_tensor(image, device="cuda"))):
        try:
            there = put(importlib.import_module(module))
            local_entropy.entropy(there)  # not every build has code for GPUs
            return there
        except (ImportError, RuntimeError, AssertionError) as error:
            reason = str(error).partition("\n")[0]
            print(f"no GPU by {module}: {reason}")
    return None


def on_host(result):
    """As a NumPy array, wherever it is."""
    if hasattr(result, "get"):
        return result.get()  # of CuPy
    return result.cpu().numpy() if hasattr(result, "cpu") else result
