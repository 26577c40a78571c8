"""Scripts that teach shells to complete command lines of ``accshare`` and ``accshare-cc``."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator

from accshare.manual.model import Command, Option, commands, compiler, flat

_HEAD = "completion of accshare and accshare-cc, made from their tables of options"

_BASH = """\
_accshare()
{
  local program=${COMP_WORDS[0]##*/} current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
  local command=${COMP_WORDS[1]} option= prefix= words
  COMPREPLY=()
  [[ $program == accshare-cc ]] && command=$program
  # most shells cut words at the equals sign
  if [[ $current == = ]]; then
    option=$before current=
  elif [[ $before == = ]]; then
    option=${COMP_WORDS[COMP_CWORD-2]}
  elif [[ $current == --acc-*=* ]]; then
    option=${current%%=*} prefix=${current%%=*}= current=${current#*=}
  elif [[ $before == -* ]]; then
    option=$before
  fi
  if [[ -n $option ]] && words=$(_accshare_values "$command" "$option"); then
    if [[ $current == *,* ]]; then
      prefix+=${current%,*}, current=${current##*,}
    fi
    COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "$current"))
  elif [[ $current == -* ]]; then
    words=$(_accshare_options "$command")
    if [[ $command == accshare-cc ]]; then
      words+=" $("${COMP_WORDS[0]}" --completion="$current" 2>/dev/null)"
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    [[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *= ]] && compopt -o nospace 2>/dev/null
  elif [[ $program == accshare && $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "$(_accshare_options '')" -- "$current"))
  fi
  return 0
}
complete -o default -F _accshare accshare accshare-cc
"""


def script(shell: str, parser: argparse.ArgumentParser) -> str:
    """For a shell by name, both programs; `parser` is that of ``accshare``."""
    cc, others = compiler(), commands(parser)
    if shell == "fish":
        return fish((cc,)) + fish(others, cc)
    return bash(cc, others) if shell == "bash" else zsh(cc, others)


def bash(cc: Command, others: tuple[Command, ...]) -> str:
    """For bash, both programs."""
    values: list[str] = []
    options = [f"  '') echo {' '.join(one.name for one in others)} ;;"]
    for one in (cc, *others):
        own = (*one.options, *(cc.options if one.takes_flags else ()))
        words = [f"{name}=" if option.glued else name for name, option in flat(own)]
        options.append(f"  {one.name}) echo {' '.join(words)} ;;")
        for name, option in flat(one.options):
            if option.words:
                command = "*" if one is cc else one.name
                values.append(f"  {command}' '{name}) echo {' '.join(option.words)} ;;")
    return "\n".join(
        (
            f"# {_HEAD}",
            *_case("_accshare_values", '"$1 $2"', [*values, "  *) return 1 ;;"]),
            *_case("_accshare_options", '"$1"', options),
            _BASH,
        )
    )


def _case(name: str, word: str, cases: Iterable[str]) -> Iterator[str]:
    yield from (f"{name}()", "{", f"  case {word} in", *cases, "  esac", "}")


def zsh(cc: Command, others: tuple[Command, ...]) -> str:
    """For zsh, both programs."""
    cases = [
        line
        for one in others
        for line in (
            f"  {one.name})",
            f"    _arguments -S {_specs(one.options)}{' $flags' if one.takes_flags else ''} '*:file:_files' ;;",
        )
    ]
    return "\n".join(
        (
            "#compdef accshare accshare-cc",
            f"# {_HEAD}",
            "_accshare()",
            "{",
            "  local -a flags commands",
            f"  flags=({_specs(cc.options)})",
            f"  commands=({' '.join(shlex.quote(f'{one.name}:{_zsh(one.meaning)}') for one in others)})",
            "  if [[ $service == accshare-cc ]]; then",
            "    if [[ $PREFIX == -* && $PREFIX != --acc* ]]; then",
            "      local service=gcc",
            "      _gcc",
            "    fi",
            "    _arguments -S $flags '*:file:_files'",
            "    return",
            "  fi",
            "  if (( CURRENT == 2 )); then",
            "    _describe command commands",
            "    return",
            "  fi",
            "  shift words",
            "  (( CURRENT-- ))",
            "  case $words[1] in",
            *cases,
            "  esac",
            "}",
            '_accshare "$@"',
            "",
        )
    )


def _specs(options: Iterable[Option]) -> str:
    return " ".join(shlex.quote(_spec(name, option)) for name, option in flat(tuple(options)))


def _spec(name: str, option: Option) -> str:
    if not option.value:
        return f"{name}[{_zsh(option.meaning)}]"
    if option.words:
        action = f"_sequence compadd - {' '.join(option.words)}" if option.several else f"({' '.join(option.words)})"
    else:
        action = "_files" if option.takes_file else ""
    return f"{name}{'=' if option.glued else ''}[{_zsh(option.meaning)}]:{_zsh(option.value)}:{action}"


def _zsh(text: str) -> str:
    return "".join(f"\\{character}" if character in "[]:\\" else character for character in text)


def fish(programs: tuple[Command, ...], cc: Command | None = None) -> str:
    """For fish, one program: ``accshare-cc`` if that is the only one of `programs`, else ``accshare``, some commands of
    which take options of `cc` too."""
    lines = [f"# {_HEAD}"]
    if cc is None:
        lines.append("complete -c accshare-cc -w gcc")
        lines += [_fish("accshare-cc", name, o, "") for name, o in flat(programs[0].options)]
        return "\n".join((*lines, ""))
    for one in programs:
        meaning = shlex.quote(one.meaning)
        lines.append(f"complete -c accshare -n __fish_use_subcommand -f -a {one.name} -d {meaning}")
    compiling = " ".join(one.name for one in programs if one.takes_flags)
    for names, options in (*((one.name, one.options) for one in programs), (compiling, cc.options)):
        condition = f"__fish_seen_subcommand_from {names}"
        lines += [_fish("accshare", name, option, condition) for name, option in flat(options)]
    return "\n".join((*lines, ""))


def _fish(program: str, name: str, option: Option, condition: str) -> str:
    words = ["complete", "-c", program]
    words += ["-n", shlex.quote(condition)] if condition else []
    words += ["-l", name[2:]] if name.startswith("--") else ["-s", name[1:]]
    if option.value:
        words.append("-r" if option.takes_file else "-x")
    words += ["-a", shlex.quote(" ".join(option.words))] if option.words else []
    return " ".join((*words, "-d", shlex.quote(option.meaning)))
