# SPDX-License-Identifier: LGPL-2.1-or-later
"""Cases that are run one after the other in an empty folder, and speak TAP."""

import inspect
import os
import shutil
import tempfile

cases = []


def case(function):
    cases.append(function)
    return function


class Skip(Exception):
    pass


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def run_cases(prepare):
    print(f"1..{len(cases)}", flush=True)
    work = tempfile.mkdtemp()
    os.chdir(work)
    # What programs leave for others is here, too, apart from that of other tests.
    os.environ["TMPDIR"] = work
    try:
        prepare()
        for number, function in enumerate(cases, 1):
            name = f"{number} {function.__name__.replace('_', ' ')}"
            try:
                function()
                print(f"ok {name}", flush=True)
            except Skip as reason:
                print(f"ok {name} # SKIP {reason}", flush=True)
            except Exception as problem:  # whatever it is, the others follow
                here = inspect.unwrap(function).__code__.co_filename
                line = problem.__traceback__
                while line.tb_next and (line.tb_frame.f_code.co_filename != here
                                        or line.tb_next.tb_frame.f_code.co_filename == here):
                    line = line.tb_next
                print(f"not ok {name}")
                print(f"# line {line.tb_lineno}: {type(problem).__name__}: "
                      f"{str(problem)[:2000]}".replace("\n", "\n# "), flush=True)
    finally:
        os.chdir("/")
        shutil.rmtree(work)
