"""The shapes of generated text; what stands in them is decided elsewhere."""

from __future__ import annotations

import contextlib

import jinja2
from jinja2.bccache import Bucket

from accshare import private


class _Kept(jinja2.BytecodeCache):
    """Templates that were compiled before, each in a file of its own; jinja2 knows which are out of date."""

    def load_bytecode(self, bucket: Bucket) -> None:
        content = private.load(private.cache_home() / "templates" / bucket.key)
        if content is not None:
            bucket.bytecode_from_string(content)

    def dump_bytecode(self, bucket: Bucket) -> None:
        with contextlib.suppress(OSError):
            private.store(private.cache_home() / "templates" / bucket.key, bucket.bytecode_to_string())


_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("accshare.emit", "templates"),
    undefined=jinja2.StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
    bytecode_cache=_Kept(),
)


def render(template: str, **values: object) -> str:
    """The template of that file name, filled in."""
    return _ENVIRONMENT.get_template(template).render(values)
