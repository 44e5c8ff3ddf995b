# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct-measure: its commands."""
import importlib
import os
import signal
import sys

from . import gst, options
from .gst import MissingElement
from .output import FAILED, INTERRUPTED, UsageError, complain
from .rows import TableError


_MODULES = {'table': 'table', 'find': 'table', 'score': 'score', 'origin': 'origin'}


def run(arguments: list[str]) -> int:
    parser = options.parser()
    o, others = parser.parse_known_args(arguments)
    if any(a.startswith('-') and a != '-' for a in others) or others and not o.files:
        parser.error(f'unrecognized arguments: {" ".join(others)}')
    o.files += others  # which stand behind options
    options.check(o)
    module = importlib.import_module(f'.{_MODULES[o.command]}', __package__)
    return int(module.run(o))


def run_safely(arguments: list[str]) -> int:
    """The exit status; what is wrong is said."""
    try:
        status = run(arguments)
        sys.stdout.flush()
        return status
    except UsageError as error:
        command = [a for a in arguments[:1] if a in _MODULES]
        complain(f'{error}\n  {" ".join(["blockdct-measure", *command])} --help explains.')
    except (TableError, MissingElement) as error:
        complain(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except OSError as error:
        complain(f'{error.filename or "standard output"}: {error.strerror}')
    except KeyboardInterrupt:
        return INTERRUPTED
    return FAILED


def main() -> int:
    sys.stderr.reconfigure(errors='backslashreplace')
    sys.stdout.reconfigure(encoding='utf-8', errors='backslashreplace')
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    status = run_safely(sys.argv[1:])
    if gst.hanging:
        os._exit(status)  # their threads may use what an exit frees
    return status
