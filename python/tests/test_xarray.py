"""Of xarray.DataArray: coordinates, names and attributes stay."""

import numpy as np
import pytest

from local_entropy import diversity, entropy

xr = pytest.importorskip("xarray", reason="pip install xarray")

RANDOM = np.random.default_rng(10)
STACK = RANDOM.integers(0, 9, (2, 20, 17), dtype=np.uint8)


def labelled(cells=STACK, chunks=None):
    made = xr.DataArray(
        cells, dims=("time", "y", "x"), name="cover",
        coords={"time": [3, 5], "y": np.arange(20)[::-1] * 10.0, "x": np.arange(17) * 10.0,
                "spatial_ref": 0, "row_name": ("y", [f"r{i}" for i in range(20)])},
        attrs={"source": "S2", "_FillValue": 255})
    made.encoding = {"dtype": "uint8", "scale_factor": 0.5}
    return made if chunks is None else made.chunk(chunks)


@pytest.fixture(params=["numpy", "dask"])
def image(request):
    if request.param == "dask":
        pytest.importorskip("dask.array", reason="pip install dask[array]")
        return labelled(chunks={"time": 1, "y": 6, "x": 5})
    return labelled()


def test_what_is_kept(image):
    found = entropy(image, 5, mode="wrap")
    assert isinstance(found, xr.DataArray) and type(found.data) is type(image.data)
    assert (found.chunks, found.dtype, found.name) == (image.chunks, np.float32, "cover")
    expected = labelled(entropy(STACK, 5, mode="wrap"))
    del expected.attrs["_FillValue"]
    xr.testing.assert_identical(found.compute(), expected)
    assert found.encoding == {} and image.encoding and image.attrs["_FillValue"] == 255


def test_what_was_said_of_the_cells_is_not_said_of_the_result():
    image = labelled()
    image.attrs.update(missing_value=255, scale_factor=0.5, add_offset=1.0, valid_min=0,
                       valid_max=9, valid_range=(0, 9))
    assert entropy(image, 3).attrs == {"source": "S2"}


def test_masks(image):
    expected = diversity(STACK, 5, "richness", mask=STACK > 2)
    for mask in (image > 2, STACK > 2, (image > 2).data):
        found = diversity(image, 5, "richness", mask=mask)
        np.testing.assert_array_equal(found.values, expected)
        np.testing.assert_array_equal(diversity(image.data, 5, "richness", mask=mask), expected)
    if image.chunks:
        dask = pytest.importorskip("dask")
        with dask.config.set(scheduler=lambda *_, **__: pytest.fail("it was computed")):
            for cells in (image, image.data):
                diversity(cells, 5, "richness", mask=image > 2)
    still = (image > 2)[0].drop_vars("time")
    np.testing.assert_array_equal(entropy(image, 5, mask=still).values,
                                  entropy(STACK, 5, mask=STACK[0] > 2))
    with pytest.raises(ValueError, match=r"the mask has the dimensions \('x', 'y'\), the image"):
        entropy(image, 5, mask=still.T)
    with pytest.raises(ValueError, match="align"):
        entropy(image, 5, mask=still[::-1])


def test_out():
    out = np.empty(STACK.shape)
    found = entropy(labelled(), 5, out=out)
    assert found.values is out
    np.testing.assert_array_equal(out, entropy(STACK, 5, dtype=np.float64))


def test_results_are_stored_as_they_are(tmp_path, image):
    pytest.importorskip("zarr", reason="pip install zarr")
    path = str(tmp_path / "out.zarr")
    entropy(image, 5).to_dataset(name="h").to_zarr(path)
    np.testing.assert_array_equal(xr.open_zarr(path).h.values, entropy(STACK, 5))
