# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct-measure as a test runs it, and what the element says of the same file:
SCRIPT PROGRAM [--no-element]"""

import contextlib
import csv
import faulthandler
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys

from tap import Skip

PROGRAM = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.dirname(PROGRAM))
from blockdct_measure import cli  # pylint: disable=wrong-import-position

PLOT = importlib.util.find_spec("matplotlib") is not None
ELEMENT = "--no-element" not in sys.argv
LIMIT = 300  # s, for each program that is run
ZONES = "videotestsrc pattern=zone-plate kx2=14 ky2=10 kt=1 num-buffers="


def run(*arguments, status=0, program=PROGRAM, **options):
    """Run it; what it has written to its standard output and error. Its command is `table`
    or, with a target, `find`."""
    if program == PROGRAM and arguments[:1] not in (("origin",), ("score",)) \
            and arguments[0] not in ("--help", "--version"):
        arguments = "find" if any(str(a).startswith(("--target", "--coll"))
                                  for a in arguments) else "table", *arguments
    if program != PROGRAM or options or {"--stall-limit", "--jobs", "--dask"} & set(arguments):
        done = subprocess.run([program, *arguments], capture_output=True, text=True,
                              timeout=LIMIT, check=False, **options)
    else:
        done = run_here(*arguments)
    missed = status == 0 and arguments[0] == "find"  # a target, which rows say
    assert done.returncode == status or missed and done.returncode == 1, \
        f"{arguments}: status {done.returncode}, not {status}: {done.stderr}"
    return done.stdout, done.stderr


def run_here(*arguments):
    """The same without a process, which takes longer to start than most runs do."""
    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    faulthandler.dump_traceback_later(LIMIT, exit=True)
    with contextlib.redirect_stdout(streams[0]), contextlib.redirect_stderr(streams[1]):
        try:
            status = cli.run_safely(list(arguments))
        except SystemExit as reason:
            status = reason.code or 0
    faulthandler.cancel_dump_traceback_later()
    return subprocess.CompletedProcess(arguments, status, *(
        stream.buffer.getvalue().decode() for stream in streams))


def rows_of(text):
    """Of CSV, as dictionaries of text."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def table(*arguments, **options):
    return rows_of(run("--quiet", "--csv", "-", *arguments, **options)[0])


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def launch(*pipeline, messages=False):
    flags = ["-m"] if messages else ["-q"]
    return run(*flags, *" ".join(pipeline).split(), program="gst-launch-1.0")[0]


def have(element):
    return subprocess.run(["gst-inspect-1.0", "--exists", element], timeout=LIMIT,
                          check=False).returncode == 0


def need(element, package):
    if not have(element):
        raise Skip(f"{element} is missing: install {package}")


def element_says(name, what, convert, *kinds):
    """The element's messages of these types for a file. The queue: source.c."""
    queue = "queue !" if name.endswith(".y4m") else ""
    log = launch(f"filesrc location={name} ! {queue} decodebin ! {convert}",
                 f"blockdct backend=cpu metrics=bits {what} ! fakesink", messages=True)
    found = []
    for line in log.splitlines():
        if "element" in line and "blockdct, type=" in line:
            fields = dict(re.findall(r"([a-z-]+)=\([a-z0-9]+\)([^,;]+)", line))
            if fields["type"] in kinds:
                found.append(fields)
    assert found, log
    return found


def skip_without(packages):
    """Whether the tests cannot be run, which is said."""
    for element, package in packages.items():
        if not shutil.which("gst-launch-1.0") or not have(element):
            print(f"1..0 # SKIP {element} or gst-launch-1.0 is missing: install {package} "
                  "and gstreamer1.0-tools")
            return True
    return False
