# SPDX-License-Identifier: LGPL-2.1-or-later
"""pieces.py PROGRAM: processes and Dask's workers give the serial table, byte for byte,
also when they are killed; and so does --resume after kills. Speaks TAP."""

import contextlib
import io
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from program import LIMIT, PROGRAM, launch, read, run, skip_without
from tap import Skip, case, run_cases

PACKAGES = {"y4menc": "gstreamer1.0-plugins-bad", "jpegenc": "gstreamer1.0-plugins-good",
            "x264enc": "gstreamer1.0-plugins-ugly"}
OPTIONS = ("--quiet", "film.y4m", "a.y4m", "b.y4m", "-t", "jpeg-8x8", "-q", "20,80",
           "-m", "ssim,xpsnr", "--frames", "-e", "x264enc speed-preset=1", "--qp", "20,30")


def make_files():
    for name, frames, size in ("film.y4m", 400, 48), ("a.y4m", 5, 96), ("b.y4m", 7, 80):
        launch(f"videotestsrc num-buffers={frames} pattern=ball ! video/x-raw,format=I420,"
               f"width={size},height={size} ! y4menc ! filesink location={name}")
    run(*OPTIONS, "--csv", "serial.csv")


def children(process):
    """Of workers alone: what tracks their resources is no worker."""
    listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(process)], check=False,
                            capture_output=True, text=True).stdout
    return [int(line.split()[0]) for line in listed.splitlines() if "spawn_main" in line]


@case
def processes_give_the_same_table():
    run(*OPTIONS, "--csv", "jobs.csv", "--jobs", "2")
    assert read("jobs.csv") == read("serial.csv")


@case
def a_killed_process_costs_nothing():
    with subprocess.Popen([PROGRAM, "table", *OPTIONS, "--csv", "killed.csv", "--jobs", "2"],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        for _ in range(2):
            time.sleep(1)
            for pid in children(process.pid)[:1]:
                os.kill(pid, signal.SIGKILL)
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 0, err
    assert read("killed.csv") == read("serial.csv")


@case
def a_table_goes_on_after_kills():
    for least in 1, 2000:  # bytes: of the names, and of rows
        with subprocess.Popen([PROGRAM, "table", *OPTIONS, "--csv", "resumed.csv", "--resume"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            while process.poll() is None and not (os.path.exists("resumed.csv") and os.path.getsize(
                    "resumed.csv") >= least):
                time.sleep(0.005)
            process.kill()
            process.communicate(timeout=LIMIT)
    run(*OPTIONS, "--csv", "resumed.csv", "--resume")
    assert read("resumed.csv") == read("serial.csv")


@case
def no_thread_sets_up_a_type():
    # Two that do so at once find a type without methods.
    from blockdct_measure import cli, encoders, gst, score
    modules = gst.Gst, gst.GstApp, gst.GstBase, gst.GstVideo

    def types():
        return {(m.__name__, name) for m in modules for name, value in vars(m).items()
                if isinstance(value, type)}
    before = types()
    for command in ("table", "a.y4m", *OPTIONS[4:]), ("score", "a.y4m", "a.y4m"):
        with contextlib.redirect_stdout(io.StringIO()):
            cli.run([*command, "--csv", "types.csv"])
    assert types() == before, types() - before
    del encoders, score


@case
def dask_gives_the_same_table():
    try:
        from distributed import LocalCluster
    except ImportError as reason:
        raise Skip(f"{reason}: install python3-distributed") from None
    # In this process: others would take longer to start than they work.
    with ThreadPoolExecutor() as pool, LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, processes=False,
            protocol="tcp", host="127.0.0.1") as cluster:
        unanswered = pool.submit(run, "a.y4m", "--dask", "nobody:1", status=2)  # for 20 s
        run(*OPTIONS, "--csv", "dask.csv", "--dask", cluster.scheduler_address)
        err = unanswered.result()[1]
    assert read("dask.csv") == read("serial.csv")
    assert "--dask nobody:1" in err, err


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(PROGRAM))
    if not skip_without(PACKAGES):
        run_cases(make_files)
