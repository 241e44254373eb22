"""Octave's entropyfilt, in a process that takes commands one by one."""

import contextlib
import pathlib
import subprocess
import tempfile

import numpy

from bench.gpu_peers import Skipped
from .peer import Peer

DONE = "done: "


class Octave(Peer):
    name = "Octave"
    border = "reflect"  # entropyfilt pads the image; its word for it is "symmetric"

    def __init__(self, command=("octave-cli", "--quiet", "--norc")):
        self.process = None  # until there is one
        self.directory = tempfile.TemporaryDirectory()
        self.image, self.footprint, self.result = (
            pathlib.Path(self.directory.name, name) for name in ("image", "footprint", "result"))
        try:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, text=True,
                                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.version = self.run("pkg load image", "version()") + ", image " + self.run(
                answer="pkg('describe', 'image'){1}.version")
        except FileNotFoundError:
            self.close()
            raise Skipped(f"{command[0]} is not installed here") from None
        except (OSError, RuntimeError) as error:
            self.close()
            raise Skipped(f"{command[0]} or its package image does not start here: "
                          f"{error}") from None

    def run(self, command="", answer="''"):
        """The string that `answer` is after `command`."""
        said = []
        try:
            self.process.stdin.write(f"{command};\nprintf('{DONE}%s\\n', {answer}); "
                                     "fflush(stdout);\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended, and may have said why
        for line in self.process.stdout:
            if line.startswith(DONE):
                return line[len(DONE):].strip()
            said.append(line.strip())
        errors = [line for line in said if line.startswith("error")] or said
        raise RuntimeError(errors[0] if errors else "it has ended")  # which an error makes it do

    def read(self, name, path, shape, last=""):
        """A variable of a file of bytes, row by row."""
        height, width = shape
        return (f"f = fopen('{path}'); {name} = fread(f, [{width}, {height}], 'uint8=>uint8').'; "
                f"fclose(f); {last}")

    def prepare(self, image, footprint):
        image.tofile(self.image)
        (footprint != 0).astype(numpy.uint8).tofile(self.footprint)
        self.shape = image.shape
        self.run(self.read("cells", self.image, image.shape) +
                 self.read("window", self.footprint, footprint.shape, "window = logical(window)"))
        return lambda: self.run("result = entropyfilt(cells, window)")

    def host(self, result):
        """Of the last run; `result` is nothing but its end."""
        self.run(f"f = fopen('{self.result}', 'w'); fwrite(f, result.', 'double'); fclose(f)")
        return numpy.fromfile(self.result).reshape(self.shape)

    def close(self):
        if self.process:
            with contextlib.suppress(BrokenPipeError):  # it has ended already
                self.process.stdin.close()  # the end of its commands
            self.process.stdout.close()
            self.process.wait()
        self.directory.cleanup()
