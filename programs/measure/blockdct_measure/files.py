# SPDX-License-Identifier: LGPL-2.1-or-later
"""The files that the arguments name, and what they are called in tables."""
import dataclasses
import glob
import os
import re
import stat

from .gst import Gst, GstBase, refuses

_HEAD = 4096  # bytes from which a file's type is found


class FileError(Exception):
    """A file that cannot be measured, and why."""
    refused = False  # what comes behind its decoder does not take its pictures


class NoVideo(FileError):
    """Such as a file of sound: in a folder, it is passed over."""


@dataclasses.dataclass(frozen=True)
class File:
    path: str
    name: str    # as printable UTF-8
    found: bool  # in a folder, by its type


def printable(path: str) -> str:
    """A unique name that a terminal can show: bytes of control characters and those that
    are not UTF-8 become \\xFF, and so does a backslash that looks like one's start."""
    return re.sub(
        r'[\0-\x1f\x7f-\x9f\ud800-\udfff]|\\(?=x[0-9a-fA-F]{2})',
        lambda m: ''.join(f'\\x{b:02X}' for b in m[0].encode('utf-8', 'surrogateescape')),
        os.fsencode(path).decode('utf-8', 'surrogateescape'))


def check(path: str) -> None:
    """Before it is opened: opening a FIFO might block for ever."""
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        if '://' in path:
            raise FileError('it is an address, which is not opened: save it to a file '
                            'first') from None
        raise FileError('there is no such file' if isinstance(error, FileNotFoundError)
                        else error.strerror) from None
    if not os.access(path, os.R_OK):
        raise FileError('Permission denied')
    if not stat.S_ISREG(mode):
        raise FileError('it is not a regular file: save what a pipe or a device gives '
                        'to a file first')


def _decodable(path: str, decoders: list) -> tuple[bool, bool]:
    """Whether its first bytes are of a type with pictures that an installed element
    takes; and whether it can be read."""
    try:
        with open(path, 'rb') as file:
            head = file.read(_HEAD)
    except OSError:
        return False, False
    if not head:
        return False, True
    caps, _ = GstBase.type_find_helper_for_data(None, head)
    if caps is None or caps.get_structure(0).get_name().startswith(('audio/', 'text/')):
        return False, True
    able = Gst.ElementFactory.list_filter(decoders, caps, Gst.PadDirection.SINK, False)
    return any(not refuses(factory) for factory in able), True


def find(arguments: list[str]) -> list[File]:
    """Files, those of folders, and those that patterns name."""
    files: dict[str, File] = {}
    decoders: list = []

    def add(path: str, found: bool = False) -> None:
        files.setdefault(path, File(path, printable(path), found))

    def add_folder(folder: str) -> None:
        try:
            names = sorted((n for n in os.listdir(folder) if not n.startswith('.')),
                           key=os.fsencode)
        except OSError:
            add(folder)  # it cannot be read as a file either
            return
        if not decoders:
            decoders.extend(Gst.ElementFactory.list_get_elements(
                Gst.ELEMENT_FACTORY_TYPE_DECODABLE, Gst.Rank.MARGINAL))
        for path in (os.path.join(folder, name) for name in names):
            if os.path.isdir(path):
                if not os.path.islink(path):  # which could form a loop
                    add_folder(path)
            elif os.path.isfile(path) or not os.path.exists(path):  # or a broken link
                decodable, readable = _decodable(path, decoders)
                if decodable or not readable:
                    add(path, readable)

    for argument in arguments:
        paths = [argument]
        if not os.path.exists(argument):
            paths = sorted(glob.glob(os.path.expanduser(argument)), key=os.fsencode) or paths
        for path in paths:
            if os.path.isdir(path):
                add_folder(path)
            else:
                add(path)
    return list(files.values())
