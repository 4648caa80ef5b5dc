"""Text in UTF-8, whatever the encoding of the file."""

import codecs
import os
import shutil

from silva.cli.tables.sources import Source
from silva.errors import DataError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LIKELY = ("cp1252", "shift_jis", "gb18030", "euc_kr", "cp1251")
_BLOCK = 2**20
_UTF8 = ("utf-8", "utf-8-sig", "ascii")


def as_utf8(source: Source, encoding: str | None) -> tuple[str, str]:
    """The path of the same text in UTF-8 (a copy where needed), and the encoding it had."""
    marked = _marked(source.path)
    found = encoding or marked or "utf-8"
    copy = os.path.join(source.folder, "utf8")
    if found in _UTF8:
        return _without_mark(source.path, copy) if marked == "utf-8-sig" else source.path, "utf-8"
    decoder = codecs.getincrementaldecoder(found)()
    with open(source.path, "rb") as stream, open(copy, "wb") as target:
        try:
            while block := stream.read(_BLOCK):
                target.write(decoder.decode(block).encode())
            target.write(decoder.decode(b"", final=True).encode())
        except (UnicodeDecodeError, UnicodeEncodeError) as error:
            raise DataError(
                f"{source.name} is not {found} text ({error.reason}); give another --encoding"
            ) from error
    return copy, found


def _without_mark(path: str, copy: str) -> str:
    """A copy without the byte order mark: DuckDB sees no quote in a cell that follows it."""
    with open(path, "rb") as stream, open(copy, "wb") as target:
        stream.seek(len(codecs.BOM_UTF8))
        shutil.copyfileobj(stream, target, _BLOCK)
    return copy


def refuse_undecodable(source: Source, path: str) -> None:
    """Raise where a file that is taken for UTF-8 is not, with the line and what it might be."""
    with open(path, "rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                raise _not_utf8(source, number, line, error) from error


def _marked(path: str) -> str | None:
    with open(path, "rb") as stream:
        head = stream.read(4096)
    found = next((name for mark, name in _BOMS if head.startswith(mark)), None)
    if found is None and len(head) >= 4 and b"\0" in head:
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) > 0.4 * len(head) / 2 and min(even, odd) < 0.1 * len(head) / 2:
            return "utf-16-le" if odd > even else "utf-16-be"
    return found


def _not_utf8(source: Source, number: int, line: bytes, error: UnicodeDecodeError) -> DataError:
    readings = []
    for name in _LIKELY:
        shown = _around(line, error.start, name)
        if shown is not None:
            readings.append(f"{name} (it would read {shown!r})")
    likely = f": {', '.join(readings[:3])}" if readings else ""
    return DataError(
        f"line {number} of {source.name} is not UTF-8 text; give --encoding NAME{likely}"
    )


def _around(line: bytes, place: int, name: str) -> str | None:
    """The word around a byte as another encoding reads it."""
    try:
        text = line.decode(name)
        before = len(line[:place].decode(name, "ignore"))
    except UnicodeDecodeError:
        return None
    start = max(text.rfind(sign, 0, before) for sign in ',;\t| "') + 1
    ends = [end for sign in ',;\t| "\r\n' if (end := text.find(sign, before)) >= 0]
    return text[max(start, before - 20) : min(min(ends, default=len(text)), before + 20)]
