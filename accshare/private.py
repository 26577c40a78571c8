"""Files kept for later runs: of this user alone, so that nobody else can have written what is read, or have what is
written land elsewhere. The runtime keeps built kernels by the same rules (runtime/src/files.c)."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import platformdirs

#: a larger file is none of ours
_MOST_BYTES = 1 << 26
_DIGEST_BYTES = 32


def cache_home() -> Path:
    """The folder for all that can be made anew: $ACCSHARE_CACHE_DIR, else in the user's cache folder."""
    given = os.environ.get("ACCSHARE_CACHE_DIR")
    return Path(given) if given else Path(platformdirs.user_cache_dir("accshare"))


def load(path: Path) -> bytes | None:
    """What `store` left under `path` below `cache_home`; None where nothing there is whole and to be trusted."""
    try:
        if not all(map(_is_ours, _folders(path.parent))):
            return None
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or not _owned(status) or status.st_size > _MOST_BYTES:
                return None
            digest, content = file.read(_DIGEST_BYTES), file.read()
    except OSError:
        return None
    return content if hashlib.sha256(content).digest() == digest else None


def store(path: Path, content: bytes) -> None:
    """Keeps `content` under `path` below `cache_home`, in one step: readers never see half of it. Raises `OSError`."""
    for folder in _folders(path.parent):
        own_folder(folder)
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            os.fchmod(handle, 0o600)
            file.write(hashlib.sha256(content).digest() + content)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise


def own_folder(folder: Path) -> None:
    """Makes a folder if there is none. Raises `OSError` where it can't be trusted."""
    make_folder(folder)
    if not _is_ours(folder):
        raise PermissionError(errno.EPERM, "others can write it, or it is a symbolic link", str(folder))


def own_file(path: Path) -> None:
    """Makes an empty file if there is none. Raises `OSError` where it can't be trusted."""
    flags = os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(path, flags, 0o600)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise PermissionError(errno.EPERM, "it is a symbolic link", str(path)) from error
    status = os.fstat(handle)
    os.close(handle)
    if not stat.S_ISREG(status.st_mode):
        raise PermissionError(errno.EPERM, "it is no file", str(path))
    if not _owned(status):
        raise PermissionError(errno.EPERM, "it belongs to another user, or others can write it", str(path))


def make_folder(folder: Path) -> None:
    """Makes a folder for this user alone, and those above it, but no home for a user without one. Raises `OSError`."""
    if folder.is_dir():
        return
    if str(folder) == os.path.expanduser("~"):
        raise FileNotFoundError(f"{folder} does not exist")
    make_folder(folder.parent)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():  # another process may have been faster
            raise


def _folders(folder: Path) -> Iterator[Path]:
    """`cache_home` and what is below it on the way to `folder`."""
    home = cache_home()
    yield home
    for part in folder.relative_to(home).parts:
        home /= part
        yield home


def _is_ours(folder: Path) -> bool:
    status = folder.lstat()
    return stat.S_ISDIR(status.st_mode) and _owned(status)


def _owned(status: os.stat_result) -> bool:
    """Whether this user alone can write it."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
