"""Directories that compilers and programs need and that are not the system's own: asked, not guessed."""

import os
import shutil
import subprocess

NEVER = {"/", "/tmp", "/var/tmp", "/dev/shm"} # others' files are there
PROGRAMS = ["cc1plus", "as", "ld", "collect2"]
FILES = ["libgomp.so", "libgomp.spec", "libstdc++.so", "libgcc_s.so", "crt1.o"]
LIBRARIES = ["libgomp.so.1", "libstdc++.so.6", "libgcc_s.so.1", "libomp.so"]
VARIABLES = ["LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"]


def answer(words, text=""):
    """What a program says; nothing if it cannot be run."""
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, errors="replace",
                              timeout=60, check=False, env=dict(os.environ, LC_ALL="C"))
    except (OSError, subprocess.TimeoutExpired):
        return "", ""
    return done.stdout, done.stderr


def homes(program):
    """Where a program lies, behind every link on the way to it, and its prefix."""
    found = set()
    for _ in range(40):
        folder = os.path.dirname(program)
        found.add(folder)
        if os.path.basename(os.path.realpath(folder)) == "bin":
            found.add(os.path.dirname(os.path.realpath(folder)))
        if not os.path.islink(program):
            return found
        program = os.path.join(folder, os.readlink(program))
    return found


def files_of(compiler, option, names):
    """Directories of what the compiler names with its whole path."""
    lines = [answer([compiler, f"{option}={name}"])[0].strip() for name in names]
    return {os.path.dirname(os.path.realpath(line)) for line in lines if os.path.isabs(line)}


def asked(compiler):
    """Directories that a compiler of g++'s or clang++'s kind says that it uses."""
    found = files_of(compiler, "-print-prog-name", PROGRAMS)
    found |= files_of(compiler, "-print-file-name", FILES + LIBRARIES)
    found.add(answer([compiler, "-print-resource-dir"])[0].strip())
    for line in answer([compiler, "-print-search-dirs"])[0].splitlines():
        found |= set(line.partition(":")[2].strip().lstrip("=").split(":"))
    _, trace = answer([compiler, "-E", "-v", "-x", "c++", "-"])
    found |= {line.strip() for line in trace.splitlines() if line.startswith(" /")}
    return found


def from_environment(names=None):
    return {path for name in names or VARIABLES for path in os.environ.get(name, "").split(":")}


def kept(found, hidden):
    """Those that are there, and hold none of the directories that are hidden."""
    good = set()
    for path in found:
        path = os.path.normpath(path) if os.path.isabs(path) else ""
        real = os.path.realpath(path)
        if path and os.path.isdir(path) and real not in NEVER and \
                not any(os.path.commonpath([real, secret]) == real for secret in hidden):
            good.add(path)
    return sorted(good)


def compilers_of(cpp, cu):
    """The host compilers of both commands."""
    names = [cpp[0]] + [word for flag, word in zip(cu, cu[1:]) if flag in ("-ccbin", "--compiler-bindir")]
    return [program for name in dict.fromkeys(names) if (program := shutil.which(name))]


def toolchain(cpp, cu):
    """What building needs."""
    found = from_environment()
    for program in compilers_of(cpp, cu):
        found |= homes(program) | asked(program)
    if program := shutil.which(cu[0]):
        found |= homes(program)
    return found


def libraries(cpp, cu, gpu):
    """What a program needs that these commands have built."""
    found = from_environment(["LD_LIBRARY_PATH"])
    for program in compilers_of(cpp, cu):
        found |= files_of(program, "-print-file-name", LIBRARIES)
    if gpu:
        toolkit = os.path.dirname(os.path.dirname(os.path.realpath(shutil.which(cu[0]) or "/usr/bin/nvcc")))
        found |= {os.path.join(toolkit, "lib64"), "/usr/local/nvidia"}
        drivers = [os.path.join(path, "libcuda.so.1") for path in found]
        drivers += [line.split("=>")[1].strip() for line in answer(["ldconfig", "-p"])[0].splitlines()
                    if "libcuda.so.1 " in line and "=>" in line]
        found |= {os.path.dirname(os.path.realpath(path)) for path in drivers if os.path.exists(path)}
    return found
