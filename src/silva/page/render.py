"""The document as one HTML file that asks nobody for anything."""

import base64
import gzip
import hashlib
import json
from html import escape
from typing import Any

from silva.page.assemble import script, style

PLAIN_LIMIT = 40_000
"""Longer documents are packed; browsers unpack them in no time."""
WITHOUT_SCRIPT = "JavaScript is off, so this page shows only the tree as text."
_ESCAPES = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def page(document: dict[str, Any], text: str, theme: str = "auto") -> str:
    """The whole file; `text` is the tree as text, for browsers without JavaScript.

    Names with halves of surrogate pairs, which no file can hold, are written as escapes of JSON.
    """
    code, sheet = script(), style()
    title = escape(document["title"])
    whole = f"""<!DOCTYPE html>
<html lang="en" data-theme="{theme}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(code, sheet)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{sheet}</style>
</head>
<body>
<div id="silva-page"><h1>{title}</h1>
<noscript><p>{WITHOUT_SCRIPT}</p></noscript>
<pre>{escape(text)}</pre></div>
{_data(document)}
<script>{code}</script>
</body>
</html>
"""
    return whole.encode(errors="replace").decode()


def _policy(code: str, sheet: str) -> str:
    """Only this script and this style sheet, and nothing from anywhere."""
    return (
        f"default-src 'none'; script-src '{_hash(code)}'; style-src '{_hash(sheet)}';"
        " img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _data(document: dict[str, Any]) -> str:
    found = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = found.encode(errors="backslashreplace").decode()
    if len(text) <= PLAIN_LIMIT:
        return f'<script type="application/json" id="silva-data">{_escaped(text)}</script>'
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()
    return (
        '<script type="application/octet-stream" id="silva-data" data-encoding="gzip">'
        f"{packed}</script>"
    )


def _escaped(text: str) -> str:
    for sign, written in _ESCAPES.items():
        text = text.replace(sign, written)
    return text
