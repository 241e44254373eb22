"""OME-TIFF: planes that are missing or elsewhere, and XML that is damaged."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from files import convert, open_files, refused
from local_entropy import entropy
from local_entropy.command.kinds import Part, open_source, stack

tifffile = pytest.importorskip("tifffile", reason="pip install tifffile")

RANDOM = np.random.default_rng(14)
STACK = RANDOM.integers(0, 9, (2, 2, 20, 21), dtype=np.uint16)
AXES = {"metadata": {"axes": "TCYX", "PhysicalSizeX": 0.25, "Channel": {"Name": ["DAPI", "GFP"]}}}


def change(path, old, new):
    """Of the XML, whose place is as long as before."""
    whole = path.read_bytes()
    xml = re.search(rb"<\?xml.*?</OME>\s*", whole, re.DOTALL)[0]
    assert old in xml
    changed = xml.replace(old, new)
    assert len(changed) <= len(xml), "expected no longer text"
    path.write_bytes(whole.replace(xml, changed + b" " * (len(xml) - len(changed))))
    return path


# ---- planes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"compression": "zlib"}])
@pytest.mark.parametrize("first", [False, True])
def test_planes_that_were_never_recorded(tmp_path, capfd, options, first):
    """They are no data, as the cells of a mask are; the others are as they were."""
    path = tmp_path / "in.ome.tif"
    tifffile.imwrite(path, STACK[:1, 0], metadata={"axes": "ZYX"}, **options)
    change(path, b'SizeZ="1"', b'SizeZ="2"')
    if first:
        change(path, b'IFD="0" PlaneCount="1"', b'IFD="0" FirstZ="1"')
    convert(capfd, path, tmp_path / "out.npy")
    found = np.load(tmp_path / "out.npy")
    np.testing.assert_array_equal(found[int(first)], entropy(STACK[0, 0]))
    assert np.isnan(found[int(not first)]).all()
    convert(capfd, path, tmp_path / "out.npy", "--band", 1 + first)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK[0, 0]))


def test_colours_that_were_never_recorded(tmp_path, capfd):
    image = RANDOM.integers(0, 9, (1, 20, 21, 3), dtype=np.uint8)
    path = tmp_path / "in.ome.tif"
    tifffile.imwrite(path, image, photometric="rgb", metadata={"axes": "ZYXS"})
    convert(capfd, change(path, b'SizeZ="1"', b'SizeZ="2"'), tmp_path / "out.npy")
    found = np.load(tmp_path / "out.npy")
    np.testing.assert_array_equal(found[0], entropy(np.moveaxis(image[0], -1, 0)))
    assert found.shape[:2] == (2, 3) and np.isnan(found[1]).all()


def several(folder, planes, sizes, **options):
    """A file for each plane, all of the same XML; of several pages the n-th one is it."""
    names = [f"{chr(97 + i)}.ome.tif" for i in range(len(planes))]
    data = "".join(f'<TiffData IFD="{i if planes.ndim > 3 else 0}" FirstZ="{i}" PlaneCount="1">'
                   f'<UUID FileName="{name}">urn:uuid:{i}</UUID></TiffData>'
                   for i, name in enumerate(names[:sizes]))
    for i, plane in enumerate(planes):
        xml = (f'<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME" '
               f'UUID="urn:uuid:{i}"><Image><Pixels DimensionOrder="XYZCT" SizeX="21" SizeY="20" '
               f'SizeZ="{sizes}" SizeC="1" SizeT="1">{data}</Pixels></Image></OME>')
        tifffile.imwrite(folder / names[i], plane, description=xml, metadata=None, **options)
    return [folder / name for name in names]


@pytest.mark.parametrize("options", [{}, {"compression": "zlib"}])
@pytest.mark.parametrize("planes", [1, 2])
def test_planes_in_several_files(tmp_path, capfd, options, planes):
    """Of one plane: the other file says only where it is."""
    for path in several(tmp_path, STACK[0], planes, **options):
        convert(capfd, path, tmp_path / "out.npy")
        expected = STACK[0] if planes > 1 else STACK[0, 0]
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(expected))
    source = open_source(str(path))
    source.read(0, Part(0, 1, 0, 1))
    assert str(path.parent / "a.ome.tif") not in open_files()
    source.close()


def test_planes_in_several_files_that_seem_to_follow_each_other(tmp_path, capfd):
    """Each begins where the one before ends: but in another file."""
    for path in several(tmp_path, STACK, 2):
        convert(capfd, path, tmp_path / "out.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "out.npy"),
                                      entropy(np.stack([STACK[0, 0], STACK[1, 1]])))


def test_a_file_of_several_is_not_replaced(tmp_path, capfd):
    first, second = several(tmp_path, STACK[0], 2)
    assert "b.ome.tif is read, as a part of" in refused(capfd, first, second)
    second.unlink()
    assert "a.ome.tif cannot be read" in refused(capfd, first, tmp_path / "out.npy")


# ---- XML ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["in.ome.tif", "in.tif"])
@pytest.mark.parametrize("old, new, said", [
    (b'SizeX="21"', b"", "its OME XML is damaged (KeyError: 'SizeX')"),
    (b'SizeX="21"', b'SizeX="x"', "its OME XML is damaged (ValueError: "),
    (b'SizeX="21"', b'SizeX="9"', "expected 1 frames, got 4"),
    (b'SizeX="21"', b'SizeX="22"', "cannot handle discontiguous storage"),
    (b'PhysicalSizeX="0.25"', b'PhysicalSizeX="no"', "PhysicalSizeX 'no', expected a number"),
    (b'PhysicalSizeX="0.25"', b'PhysicalSizeX=""', "PhysicalSizeX '', expected a number"),
    (b'PhysicalSizeX="0.25"', b'PhysicalSizeX="True"', "PhysicalSizeX True, expected a number"),
    (b"</OME>", b"", "its OME XML ends early"),
    (b"</Image>", b"", "it is damaged (ParseError: ")])
def test_xml_that_is_damaged(tmp_path, capfd, name, old, new, said):
    path = tmp_path / name
    if name == "in.tif":
        pytest.importorskip("rasterio", reason="reads other TIFF files")
    tifffile.imwrite(path, STACK, ome=True, **AXES)
    found = refused(capfd, change(path, old, new), tmp_path / "out.npy")
    assert f"{path} cannot be read" in found and said in found


def test_xml_of_one_page_that_ends_early(tmp_path, capfd):
    pytest.importorskip("rasterio", reason="reads other TIFF files")
    tifffile.imwrite(tmp_path / "in.tif", STACK[0, 0], ome=True)
    path = change(tmp_path / "in.tif", b"</OME>", b"")
    assert "in.tif cannot be read: its OME XML ends early" in refused(capfd, path,
                                                                      tmp_path / "out.npy")


@pytest.mark.parametrize("xml", ["<OME xmlns=''>text</OME>", "<OME xmlns=''><Image/></OME>",
                                 "<OME xmlns=''><Image><Pixels/></Image></OME>"])
def test_xml_without_attributes(tmp_path, capfd, xml):
    tifffile.imwrite(tmp_path / "in.ome.tif", STACK[0, 0], description=xml, metadata=None)
    said = refused(capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")
    assert "in.ome.tif cannot be read: its OME XML " in said


def test_xml_that_names_another_file(tmp_path, capfd):
    """A part of a set, whose XML is elsewhere, is read for itself."""
    tifffile.imwrite(tmp_path / "in.ome.tif", STACK[0, 0], metadata=None, description="<OME xmlns"
                     "=''><BinaryOnly MetadataFile='a.companion.ome' UUID='b'/></OME>")
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), entropy(STACK[0, 0]))


# ---- names and sizes ---------------------------------------------------------------------------


@pytest.mark.parametrize("old, new, names", [
    (rb'<Channel ID="Channel:0:1".*?</Channel>', b"", ()),
    (rb'SizeC="2"', b'SizeC="1"', ()),
    (rb'Name="GFP"', b'Name="488"', ("DAPI", "488") * 2),
    (rb'Name="GFP"', b"", ("DAPI", None) * 2),
    (rb'<Channel ID="Channel:0:1".*?</Channel>', b"<Channel/>", ("DAPI", None) * 2)])
def test_channels(tmp_path, old, new, names):
    """Fewer or more than there are name none: which is which, nobody knows."""
    path = tmp_path / "in.ome.tif"
    tifffile.imwrite(path, STACK, **AXES)
    old = re.search(old, path.read_bytes(), re.DOTALL)[0]
    if b"SizeC" in old:
        change(path, b'SizeT="2"', b'SizeT="4"')
        for i in range(4):
            change(path, b'FirstC="%d" FirstT="%d"' % (i % 2, i // 2), b'FirstT="%d"' % i) \
                if b'FirstC="%d" FirstT="%d"' % (i % 2, i // 2) in path.read_bytes() else None
    source = open_source(str(change(path, old, new)))
    source.close()
    assert source.about.names == names


def test_names_of_some_channels(tmp_path, capfd):
    """OME has the name of all or none."""
    tifffile.imwrite(tmp_path / "in.ome.tif", STACK, **AXES)
    change(tmp_path / "in.ome.tif", b'Name="GFP"', b"")
    convert(capfd, tmp_path / "in.ome.tif", tmp_path / "out.ome.tif")
    with tifffile.TiffFile(tmp_path / "out.ome.tif") as file:
        assert "DAPI" not in file.ome_metadata and "None" not in file.ome_metadata


@pytest.mark.parametrize("unit", [1, 2, 3, None])
def test_units_of_the_resolution(tmp_path, capfd, unit):
    """Inches where nothing is said, by the standard."""
    path = tmp_path / "in.tif"
    tifffile.imwrite(path, STACK[0], photometric="minisblack", resolution=(300, 200),
                     resolutionunit=unit or 1)
    if unit is None:
        whole = bytearray(path.read_bytes())
        for at in re.finditer(rb"\x28\x01\x03\x00\x01\x00\x00\x00", bytes(whole)):
            whole[at.start():at.start() + 2] = b"\xf0\xff"
        path.write_bytes(whole)
    convert(capfd, path, tmp_path / "OUT.TIF")
    with tifffile.TiffFile(tmp_path / "OUT.TIF") as file:
        assert file.pages[0].tags["ResolutionUnit"].value == (unit or 2)
        assert file.series[0].axes == "CYX" or len(file.series[0].shape) == 3


def test_a_stack_in_capitals(tmp_path, capfd):
    tifffile.imwrite(tmp_path / "in.tif", STACK, imagej=True, metadata={"axes": "ZCYX"})
    convert(capfd, tmp_path / "in.tif", tmp_path / "OUT.TIF")
    with tifffile.TiffFile(tmp_path / "OUT.TIF") as file:
        assert file.is_imagej and file.series[0].axes == "ZCYX"


def test_a_stack_of_lsm():
    """Whatever its axes are: only its own tags say how long a cell is."""
    file = SimpleNamespace(is_geotiff=False, is_ome=False, is_imagej=False, is_lsm=True,
                           pages=[SimpleNamespace(tags={}, description="")],
                           series=[SimpleNamespace(axes="YX")])
    assert stack._is_stack(file)
    file.is_lsm = False
    assert not stack._is_stack(file)

