"""Long names of options, as the short ones they stand for. Imports nothing: any compilation may need it."""

_FLAGS = {
    "--assemble": "-S",
    "--comments": "-C",
    "--comments-in-macros": "-CC",
    "--compile": "-c",
    "--dependencies": "-M",
    "--no-line-commands": "-P",
    "--no-standard-includes": "-nostdinc",
    "--preprocess": "-E",
    "--print-missing-file-dependencies": "-MG",
    "--syntax-only": "-fsyntax-only",
    "--trace-includes": "-H",
    "--trigraphs": "-trigraphs",
    "--user-dependencies": "-MM",
    "--write-dependencies": "-MD",
    "--write-user-dependencies": "-MMD",
}
#: options with a value, behind ``=`` or as the next argument
_VALUED = {
    "--assert": "-A",
    "--define-macro": "-D",
    "--imacros": "-imacros",
    "--include": "-include",
    "--include-directory": "-I",
    "--include-directory-after": "-idirafter",
    "--include-prefix": "-iprefix",
    "--include-with-prefix": "-iwithprefix",
    "--include-with-prefix-after": "-iwithprefix",
    "--include-with-prefix-before": "-iwithprefixbefore",
    "--language": "-x",
    "--library-directory": "-L",
    "--output": "-o",
    "--undefine-macro": "-U",
}
#: the same where the short name has its value glued to it
_GLUED = {"--dump": "-d", "--std": "-std="}


def short(args: list[str]) -> list[str]:
    """The arguments with short names for long ones, as far as these say something that matters here."""
    found: list[str] = []
    index = 0
    while index < len(args):
        name, equals, value = args[index].partition("=")
        apart = not equals and name in (*_VALUED, *_GLUED)
        index += 1 + apart
        if name == "--":
            return found + args[index - 1 :]
        if apart and index <= len(args):
            value = args[index - 1]
        if name in _GLUED:
            found.append(_GLUED[name] + value)
        elif name in _VALUED:
            found += [_VALUED[name], *([value] if equals or index <= len(args) else [])]
        elif name == "--optimize":
            found.append(f"-O{value}")
        else:
            found.append(_FLAGS.get(args[index - 1], args[index - 1]))
    return found
