"""``python -m accshare.manual FOLDER``: writes what is installed below ``share`` (`make share`)."""

from __future__ import annotations

import sys
from pathlib import Path

from accshare import __version__
from accshare.cli import make_parser
from accshare.manual.man import commands_page, compiler_page
from accshare.manual.model import commands, compiler
from accshare.manual.shells import bash, fish, zsh


def texts() -> dict[str, str]:
    """All files, by path."""
    cc, others = compiler(), commands(make_parser())
    script = bash(cc, others)
    return {
        "man/man1/accshare-cc.1": compiler_page(cc, __version__),
        "man/man1/accshare.1": commands_page(others, __version__),
        "bash-completion/completions/accshare": script,
        "bash-completion/completions/accshare-cc": script,
        "zsh/site-functions/_accshare": zsh(cc, others),
        "fish/vendor_completions.d/accshare.fish": fish(others, cc),
        "fish/vendor_completions.d/accshare-cc.fish": fish((cc,)),
    }


def main(folder: Path) -> None:
    """Writes the files."""
    for name, text in texts().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
