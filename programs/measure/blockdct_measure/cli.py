# SPDX-License-Identifier: LGPL-2.1-or-later
"""blockdct-measure: its commands."""
import os
import signal
import sys

from . import gst, options
from .gst import MissingElement
from .output import FAILED, INTERRUPTED, UsageError, complain
from .rows import TableError


def run(arguments: list[str]) -> int:
    parser = options.parser()
    o, others = parser.parse_known_args(arguments)
    if any(a.startswith('-') and a != '-' for a in others) or others and not o.files:
        parser.error(f'unrecognized arguments: {" ".join(others)}')
    o.files += others  # which stand behind options
    options.check(o)
    if o.command == 'origin':
        from . import origin
        return origin.run(o)
    if o.command == 'score':
        from . import score
        return score.run(o)
    from . import table
    return table.run(o)


def main() -> int:
    sys.stderr.reconfigure(errors='backslashreplace')
    sys.stdout.reconfigure(encoding='utf-8', errors='backslashreplace')
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        status = run(sys.argv[1:])
        sys.stdout.flush()
        if gst.hanging:
            os._exit(status)  # their threads may use what an exit frees
        return status
    except UsageError as error:
        complain(f'{error}\n  blockdct-measure COMMAND --help explains.')
        return FAILED
    except (TableError, MissingElement) as error:
        complain(error)
        return FAILED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAILED
    except OSError as error:
        complain(f'{error.filename or "standard output"}: {error.strerror}')
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
