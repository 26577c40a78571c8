"""``accshare-cc``: the host compiler, until a source holds an acc pragma.

Everything a build does without acc pragmas (configure checks, plain sources, links) passes through here, so this
module and what it imports at the top need nothing but `os` and `sys`. Where there is nothing for us to do, the
process becomes the host compiler.
"""

import gc
import os
import sys

from accshare.driver import response, scan
from accshare.driver import words as w

#: compilers that already run above this process, so that a wrapper that leads back to us is not taken again
_ABOVE = "ACCSHARE_ABOVE"
#: new objects before Python looks for cycles: what is loaded is never garbage, and looking at it every 700 objects is
#: a seventh of the time that loading takes
_GARBAGE = 100_000
_COMPILER_ENDINGS = ("cc", "clang", "++", "c89", "c99", "c11", "c17", "icx", "nvc")


def main() -> int:
    """Runs the command line; the exit code. Returns only if this process did not become the host compiler."""
    host, args = host_compiler(sys.argv[1:])
    if not host:
        return 1
    expanded = response.expand(args) if any(arg.startswith("@") for arg in args) else args
    if any(arg.startswith("--") for arg in expanded):
        from accshare.driver import long  # noqa: PLC0415 - rarely needed

        expanded = long.short(expanded)
    words = w.split(expanded)
    unknown = any(word[1][0].startswith(("--acc", "-acc-", "-acc_")) for word in words if word[0] == w.OWN)
    if ("--help",) in (word[1] for word in words):
        from accshare.driver.help import text  # noqa: PLC0415 - only when asked for

        print(text(" ".join(host)), flush=True)
    if _has_work(host, words) or (unknown and not any(word[0] == w.QUERY for word in words)):
        gc.set_threshold(_GARBAGE)
        from accshare.driver.start import drive  # noqa: PLC0415 - only when there is work

        return drive(host, words)
    plain = [word for word in words if word[0] != w.OWN]
    c = any(language in w.C_LANGUAGES for _, _, language in w.inputs(words))
    if c and w.shows_macros(words):
        return become(host, [*w.openacc(plain), *w.texts(plain)])
    return become(host, args if len(plain) == len(words) else w.texts(plain))


def become(host: list[str], args: list[str]) -> int:
    """Turns this process into the host compiler; the exit code if that fails."""
    try:
        os.execv(host[0], host + args)
    except OSError as error:
        return _complain(f"{host[0]}: {error.strerror}")


def host_compiler(args: list[str]) -> tuple[list[str], list[str]]:
    """The command that starts the host compiler, and the arguments for it.

    A compiler given as first argument (the launcher form), else $ACCSHARE_CC, else ``cc``, ``gcc`` or ``clang`` on
    PATH; never this program itself, under whatever name. The command is empty, with the reason printed, if there is
    none. An absolute path is what gcc needs to find its own parts.
    """
    above = [path for path in os.environ.get(_ABOVE, "").split(os.pathsep) if path]
    rest = args
    host: list[str] = []
    if args and _names_compiler(args[0]) and _programs(args[0]):
        rest = args[1:]
        host = _which(args[0], above)
    if not host:
        wish = os.environ.get("ACCSHARE_CC", "")
        command = [wish] if os.path.isfile(wish) else wish.split()
        if command and not _programs(command[0]):
            _complain(f"ACCSHARE_CC names {command[0]}, which is no program that can be run")
            return [], rest
        found = _which(command[0], above) if command else []
        host = found + command[1:] if found else []
    for name in ("cc", "gcc", "clang"):
        host = host or _which(name, above)
    if not host:
        _complain("no host compiler: there is no other cc, gcc or clang on PATH; set ACCSHARE_CC")
        return [], rest
    os.environ[_ABOVE] = os.pathsep.join([*above, host[0]])
    return host, rest


def _which(name: str, above: list[str]) -> list[str]:
    """The first program called `name` that is neither this one nor in `above`, in a list; else an empty list."""
    own = os.path.realpath(sys.argv[0])
    return [path for path in _programs(name) if path not in above and os.path.realpath(path) != own][:1]


def _programs(name: str) -> list[str]:
    """Absolute paths of the programs that `name` may mean, by PATH if it has no slash."""
    folders = [""] if os.sep in name else os.environ.get("PATH", os.defpath).split(os.pathsep)
    paths = [os.path.abspath(os.path.join(folder, name)) for folder in folders]
    return [path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)]


def _names_compiler(arg: str) -> bool:
    """Whether a first argument is a compiler to launch and no input: ``/usr/bin/cc``, ``gcc-12``, ``mpicc``."""
    name = os.path.basename(arg).removesuffix(".exe")
    return not arg.startswith(("-", "@")) and name.rstrip("0123456789.-").endswith(_COMPILER_ENDINGS)


def _has_work(host: list[str], words: list[w.Word]) -> bool:
    """Whether there is a region to compile, a use of ``_OPENACC``, or a program to link that calls acc routines."""
    roles = {word[0] for word in words}
    if w.QUERY in roles or os.path.basename(host[0]).rstrip("0123456789.-").endswith("++"):
        return False
    inputs = w.inputs(words)
    evidence = scan.Scan(words)
    for _, name, language in inputs:
        if language in w.C_LANGUAGES:
            acc = evidence.source(_replay_stdin(), "") if name == "-" else evidence.file(name)
            if acc:
                return True
    return w.MODE not in roles and scan.calls_runtime([name for _, name, _ in inputs], static=w.is_static(words))


def _replay_stdin() -> bytes:
    """All of standard input, which is put back for those who read it next."""
    from tempfile import TemporaryFile  # noqa: PLC0415 - rarely needed

    data = sys.stdin.buffer.read()
    with TemporaryFile() as copy:
        copy.write(data)
        copy.flush()
        os.dup2(copy.fileno(), 0)
    os.lseek(0, 0, os.SEEK_SET)
    return data


def _complain(message: str) -> int:
    print(f"accshare-cc: error: {message}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
