"""A compiler's argument list cut into options with their values. Imports nothing: every compilation starts here.

A `Word` is ``(role, texts)``: `texts` are one or two arguments exactly as they were given, `role` is one of the
constants below.
"""

#: the version of the specification whose pragmas the host's own compiler would take
_OPENACC = "-D_OPENACC=201711"

Word = tuple[str, tuple[str, ...]]

INPUT = "input"  # a file to compile or link, or ``-``
OUTPUT = "output"  # -o
MODE = "mode"  # -c -S -E -M -MM -fsyntax-only -run
QUERY = "query"  # asks the compiler about itself
LANGUAGE = "language"  # -x
PREPROCESS = "preprocess"  # means something to the preprocessor only
DEPEND = "depend"  # -MD and its kin
LINK = "link"  # means something to the linker only
OWN = "own"  # ours, and what other OpenACC compilers take to mean "on"
NAMING = "naming"  # how what is written beside the output is called
DASHES = "dashes"  # ``--``: only inputs follow
OTHER = "other"

_EXACT = {
    **dict.fromkeys(("-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-run"), MODE),
    **dict.fromkeys(
        (
            "--version",
            "--help",
            "--target-help",
            "-###",
            "-dumpmachine",
            "-dumpversion",
            "-dumpfullversion",
            "-dumpspecs",
        ),
        QUERY,
    ),
    **dict.fromkeys(("-save-temps", "--save-temps"), NAMING),
    **dict.fromkeys(("-MD", "-MMD", "-MP", "-MG"), DEPEND),
    **dict.fromkeys(("-nostdinc", "-undef", "-H", "-C", "-CC", "-P", "-trigraphs", "-fdirectives-only"), PREPROCESS),
    **dict.fromkeys(
        "-s -r -static -static-pie -static-libgcc -shared -shared-libgcc -pie -no-pie -rdynamic -symbolic -nostdlib"  # noqa: SIM905
        " -nostartfiles -nodefaultlibs -nolibc --static --shared --pie --symbolic --no-standard-libraries".split(),
        LINK,
    ),
    **dict.fromkeys(("-fopenacc", "-acc", "-Minfo"), OWN),
}

#: options whose value is the next argument
_SEPARATE = {
    "-o": OUTPUT,
    "-x": LANGUAGE,
    **dict.fromkeys(
        "-D -U -I -A -include -imacros -isystem -idirafter -iquote -iprefix -iwithprefix -iwithprefixbefore"  # noqa: SIM905
        " -imultilib -cxx-isystem -Xpreprocessor".split(),
        PREPROCESS,
    ),
    **dict.fromkeys(("-MF", "-MT", "-MQ", "-MJ"), DEPEND),
    **dict.fromkeys(("-L", "-l", "-Xlinker", "-T", "-u", "-z", "-e", "-h", "-framework", "-rpath"), LINK),
    **dict.fromkeys(("--entry", "--force-link", "--for-linker", "--undefine"), LINK),
    **dict.fromkeys(("-dumpbase", "-dumpdir", "-dumpbase-ext"), NAMING),
    **dict.fromkeys(
        "-Xassembler -Xclang -mllvm -target --target --param -arch -B -G -aux-info -wrapper -specs --sysroot"  # noqa: SIM905
        " -isysroot -gcc-toolchain --for-assembler --prefix --machine".split(),
        OTHER,
    ),
}

#: options whose value may be glued to them; a longer one stands before what it starts with
_JOINED = (
    ("--acc", OWN),
    ("-acc-", OWN),
    ("-acc_", OWN),
    ("-acc=", OWN),
    ("-fopenacc-", OWN),
    ("-Minfo=", OWN),
    ("-print-", QUERY),
    ("--print-", QUERY),
    ("--help=", QUERY),
    ("-save-temps=", NAMING),
    ("--save-temps=", NAMING),
    ("-Wp,-MD,", DEPEND),
    ("-Wp,-MMD,", DEPEND),
    ("-MF", DEPEND),
    ("-MT", DEPEND),
    ("-MQ", DEPEND),
    ("-D", PREPROCESS),
    ("-U", PREPROCESS),
    ("-I", PREPROCESS),
    ("-Wp,", PREPROCESS),
    ("-include", PREPROCESS),
    ("-imacros", PREPROCESS),
    ("-isystem", PREPROCESS),
    ("-idirafter", PREPROCESS),
    ("-iquote", PREPROCESS),
    ("-Wl,", LINK),
    ("-fuse-ld=", LINK),
    ("-L", LINK),
    ("-l", LINK),
    ("--entry=", LINK),
    ("--force-link=", LINK),
    ("--for-linker=", LINK),
    ("-T", LINK),
    ("-o", OUTPUT),
)

#: languages of ``-x`` and of file name endings that we can compile
C_LANGUAGES = ("c", "cpp-output")
#: asks the preprocessor for macros instead of text
_SHOWS_MACROS = ("-dM", "-dD", "-dN", "-dU")
_STATIC = {"-static", "--static", "-static-pie"}
_WITHOUT_LIBRARY = {"-nostdlib", "-nodefaultlibs", "-nolibc", "--no-standard-libraries"}
_LANGUAGES = (*C_LANGUAGES, "none", "c++", "c-header", "assembler", "assembler-with-cpp", "objective-c")


def split(args: list[str]) -> list[Word]:
    """The words of an argument list, in order."""
    found: list[Word] = []
    index = 0
    while index < len(args):
        role, length = _classify(args[index])
        found.append((role, tuple(args[index : index + length])))
        index += length
        if role == DASHES:
            found += [(INPUT, (name,)) for name in args[index:]]
            break
    return found


def value(word: Word, option: str) -> str | None:
    """The value of a word that is `option`, glued or separate; None when it is another option."""
    texts = word[1]
    if texts[0] == option:
        return texts[1] if len(texts) > 1 else None
    return texts[0][len(option) :] if texts[0].startswith(option) else None


def inputs(words: list[Word]) -> list[tuple[int, str, str]]:
    """Index, name and language of each input; the language of what we don't compile is ``other``."""
    found = []
    explicit = "none"
    for index, word in enumerate(words):
        if word[0] == LANGUAGE:
            explicit = value(word, "-x") or "none"
        elif word[0] == INPUT:
            found.append((index, word[1][0], _language(word[1][0]) if explicit == "none" else explicit))
    return [(index, name, language if language in C_LANGUAGES else "other") for index, name, language in found]


def shows_macros(words: list[Word]) -> bool:
    """Whether the preprocessor is to print macros, those that are defined by itself among them."""
    given = [word[1][0] for word in words]
    return "-E" in given and any(word in given for word in _SHOWS_MACROS)


def is_static(words: list[Word]) -> bool:
    """Whether a program is linked that loads no libraries, with a C library of its own."""
    given = {word[1][0] for word in words if word[0] == LINK}
    return bool(given & _STATIC) and not given & _WITHOUT_LIBRARY


def openacc(words: list[Word]) -> list[str]:
    """The option that defines ``_OPENACC``, unless the user does."""
    given = [found for word in words if word[0] == PREPROCESS if (found := value(word, "-D"))]
    return [] if any(text.partition("=")[0] == "_OPENACC" for text in given) else [_OPENACC]


def texts(words: list[Word]) -> list[str]:
    """The arguments the words were made of."""
    return [text for word in words for text in word[1]]


def _classify(arg: str) -> tuple[str, int]:
    """Role, and how many arguments the word takes."""
    if not arg.startswith("-") or arg == "-":
        return INPUT, 1
    if arg == "--":
        return DASHES, 1
    if arg in _EXACT:
        return _EXACT[arg], 1
    if arg in _SEPARATE:
        return _SEPARATE[arg], 2
    if arg.startswith("-x") and arg[2:] in _LANGUAGES:
        return LANGUAGE, 1
    for prefix, role in _JOINED:
        if arg.startswith(prefix):
            return role, 1
    return OTHER, 1


def _language(name: str) -> str:
    if name.endswith(".c") or name == "-":
        return "c"
    return "cpp-output" if name.endswith(".i") else "other"
