"""``@file`` arguments, by gcc's rules. Imports nothing: every compilation may need it."""


def expand(args: list[str], depth: int = 0) -> list[str]:
    """The arguments with each ``@file`` replaced by the words in it; one that can't be read stays as it is."""
    found: list[str] = []
    for arg in args:
        text = _read(arg[1:]) if arg.startswith("@") and depth < 100 else None
        found += [arg] if text is None else expand(unquote(text), depth + 1)
    return found


def unquote(text: str) -> list[str]:
    """Words between white space; quotes of both kinds group, a backslash takes the next character as it is."""
    found: list[str] = []
    word: str | None = None
    quote = ""
    escaped = False
    for character in text:
        if escaped:
            word, escaped = (word or "") + character, False
        elif character == "\\":
            escaped = True
        elif quote:
            if character == quote:
                quote = ""
            else:
                word = (word or "") + character
        elif character in "'\"":
            word, quote = word or "", character
        elif character.isspace():
            if word is not None:
                found.append(word)
            word = None
        else:
            word = (word or "") + character
    return found if word is None else [*found, word]


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError:
        return None
