"""How small pages of our own look: plain HTML without scripts."""

from html import escape

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
{refresh}<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 42rem; margin: 4rem auto; padding: 0 1rem; }}
code {{ background: #8882; padding: 0 .2em; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def page(title: str, body: str, refresh_seconds: int | None = None) -> str:
    """A page. title: any text. body: HTML. refresh_seconds: until it loads itself anew; None for never."""
    refresh = "" if refresh_seconds is None else f'<meta http-equiv="refresh" content="{refresh_seconds}">\n'
    return _PAGE.format(title=escape(title), refresh=refresh, body=body)
