"""The shapes of generated text; what stands in them is decided elsewhere."""

from __future__ import annotations

import jinja2

_ENVIRONMENT = jinja2.Environment(
    loader=jinja2.PackageLoader("accshare.emit", "templates"),
    undefined=jinja2.StrictUndefined,
    autoescape=False,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)


def render(template: str, **values: object) -> str:
    """The template of that file name, filled in."""
    return _ENVIRONMENT.get_template(template).render(values)
