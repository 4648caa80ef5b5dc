"""Odd files, and what each of them gives."""

import bz2
import gzip
import io
import json
import lzma
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import pytest

from silva.cli.tables.duck import Connection, connect, finished
from silva.cli.tables.options import TableOptions
from silva.cli.tables.read import read_table
from silva.cli.tables.unpack import limit_of
from silva.errors import DataError

WHOLE, REAL, TEXT, DAY, MOMENT = "BIGINT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP"


def whole(*values):
    return WHOLE, list(values)


def real(*values):
    return REAL, list(values)


def text(*values):
    return TEXT, list(values)


def day(*values):
    return DAY, list(values)


def moment(*values):
    return MOMENT, list(values)


@dataclass(frozen=True)
class Odd:
    """A file, the options it is read with, its columns, and words that are told of it."""

    name: str
    content: bytes
    gives: dict
    told: str = ""
    options: dict = field(default_factory=dict)


AB = {"a": whole(1, 2), "b": text("x", "y")}


def frame_bytes(form):
    """A table of two rows in a binary format."""
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": [1, 2], "b": ["x", "y"]})
    sink = io.BytesIO()
    if form == "parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, sink)
    else:
        opener = pa.ipc.new_file if form == "arrow" else pa.ipc.new_stream
        with opener(sink, table.schema) as writer:
            writer.write_table(table)
    return sink.getvalue()


def zstd_bytes(content):
    pa = pytest.importorskip("pyarrow")
    return pa.compress(content, codec="zstd", asbytes=True)


def zip_bytes(members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def sqlite_bytes(*statements):
    with sqlite3.connect(":memory:") as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
        return database.serialize()


JSON = json.dumps([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]).encode()
LINES = b'{"a": 1, "b": "x"}\n\n{"a": 2, "b": "y"}\n'
SQLITE = sqlite_bytes("CREATE TABLE t (a, b)", "INSERT INTO t VALUES (1, 'x'), (2, 'y')")

ODD = [
    Odd("comma.csv", b"a,b\n1,x\n2,y\n", AB, "comma-separated, UTF-8"),
    Odd("semicolon.csv", b"a;b\n1;x\n2;y\n", AB, "semicolon-separated"),
    Odd("tab.tsv", b"a\tb\n1\tx\n2\ty\n", AB, "tab-separated"),
    Odd("pipe.txt", b"a|b\n1|x\n2|y\n", AB, "pipe-separated"),
    Odd("space.dat", b"a b\n1 x\n2 y\n", AB, options={"delimiter": " "}),
    Odd("colon.dat", b"a:b\n1:x\n2:y\n", AB, options={"delimiter": ":"}),
    Odd("one column.csv", b"note\na, b\n\nc; d\n", {"note": text("a, b", "c; d")}),
    Odd("bom.csv", b"\xef\xbb\xbfa,b\n1,x\n2,y\n", AB),
    Odd("utf16.csv", "a,b\n1,ä\n".encode("utf-16"), {"a": whole(1), "b": text("ä")}, "UTF-16"),
    Odd("utf16le.csv", "a,b\n1,y\n".encode("utf-16-le"), {"a": whole(1), "b": text("y")}),
    Odd(
        "latin.csv",
        "a,b\n1,café\n".encode("latin-1"),
        {"a": whole(1), "b": text("café")},
        "iso8859-1",
        {"encoding": "iso8859-1"},
    ),
    Odd(
        "cp1252.csv",
        "a,b\n1,“9 €”\n".encode("cp1252"),
        {"a": whole(1), "b": text("“9 €”")},
        options={"encoding": "cp1252"},
    ),
    Odd(
        "japan.csv",
        "都市,n\n東京,1\n大阪,2\n".encode("shift_jis"),
        {"都市": text("東京", "大阪"), "n": whole(1, 2)},
        options={"encoding": "shift_jis"},
    ),
    Odd("crlf.csv", b"a,b\r\n1,x\r\n2,y\r\n", AB),
    Odd("cr.csv", b"a,b\r1,x\r2,y\r", AB),
    Odd("mixed ends.csv", b"a,b\r\n1,x\n2,y\r\n", AB),
    Odd("no last end.csv", b"a,b\n1,x\n2,y", AB),
    Odd("blank lines.csv", b"\na,b\n\n1,x\n\n\n2,y\n\n", AB),
    Odd(
        "comments.csv", b"# made\n# today\na,b\n1,x\n2,y\n", AB, "2 lines before the header skipped"
    ),
    Odd(
        "title.csv",
        b"# made; by, us\n\na,b,c\na,b\n1,x\n2,y\n",
        AB,
        "3 lines before the header skipped",
        {"skip_rows": 3},
    ),
    Odd("hash.csv", b"#a,b\n1,x\n2,y#z\n", {"#a": whole(1, 2), "b": text("x", "y#z")}),
    Odd("remarks.csv", b"a,b\n1,x\n% no\n2,y\n", AB, options={"comment": "%"}),
    Odd(
        "quotes.csv",
        b'name,n\n"Doe, ""J""\n2nd",1\n\'tis,2\n',
        {"name": text('Doe, "J"\n2nd', "'tis"), "n": whole(1, 2)},
    ),
    Odd(
        "apostrophes.csv", b"a,b\n'1','x, y'\n'2','z'\n", {"a": whole(1, 2), "b": text("x, y", "z")}
    ),
    Odd("inches.csv", b'a,b\n1,5" pipe\n2,"y"\n', {"a": whole(1, 2), "b": text('5" pipe', "y")}),
    Odd("spaces.csv", b"a, b\n1,  x \n 2, y\t\n", AB),
    Odd("wide spaces.csv", "a,b\n1\u00a0,x\n\t2,\u3000y\n".encode(), AB),
    Odd("two lines.csv", b'"a\nb",c\n1,2\n', {"a\nb": whole(1), "c": whole(2)}),
    Odd(
        "excel.csv",
        b'a,"b\nx",y\r\n1,2,p\r\n3,4,"q\nr"\r\n',
        {"a": whole(1, 3), "b\nx": whole(2, 4), "y": text("p", "q\nr")},
    ),
    Odd(
        "excel utf8.csv",
        b'\xef\xbb\xbf"a\r\nz",b,y\r\n1,2,p\r\n3,4,q\r\n',
        {"a\r\nz": whole(1, 3), "b": whole(2, 4), "y": text("p", "q")},
    ),
    Odd(
        "bom and delimiter in the header.csv",
        b'\xef\xbb\xbf"a,",b\n1,x\n2,y\n',
        {"a,": whole(1, 2), "b": text("x", "y")},
    ),
    Odd(
        "excel semicolons.csv",
        b"sep=;\r\na;b\r\n1,5;x, y\r\n2;y\r\n",
        {"a": real(1.5, 2.0), "b": text("x, y", "y")},
        "semicolon-separated, 1 line before the header skipped",
    ),
    Odd(
        "excel unicode.txt",
        'sep=\t\r\n"a\nz"\tb\r\n1\tä\r\n2\t"ö\nü"\r\n'.encode("utf-16"),
        {"a\nz": whole(1, 2), "b": text("ä", "ö\nü")},
        "tab-separated",
    ),
    Odd("one crlf in a cell.csv", b'a,b\n1,"x\r\ny"\n', {"a": whole(1), "b": text("x\r\ny")}),
    Odd(
        "texts with spaces.csv",
        b"a,b\n 1, 01\n2,02\n",
        {"a": text("1", "2"), "b": text("01", "02")},
        options={"text": ("a",)},
    ),
    Odd(
        "nulls.csv",
        b"a,b,c\n1,?,N/A\nNA,-,null\n3,z,\nnan,None,NaN\n",
        {
            "a": whole(1, None, 3, None),
            "b": text(None, "-", "z", "None"),
            "c": text(None, None, None, None),
        },
        "kept as text: - 1 time, None 1 time (in 'b'; --null COLUMN=WORD reads it as missing)",
    ),
    Odd(
        "marks.csv",
        b"a,b,c,d\n1,-,$5,2024-01-01\n-,+,-,-\nNone,-,.,None\n",
        {
            "a": whole(1, None, None),
            "b": text("-", "+", "-"),
            "c": real(5.0, None, None),
            "d": day("2024-01-01", None, None),
        },
    ),
    Odd(
        "marks of columns.csv",
        b"a,b,c\n-999.0,-,NA\n2,x,1\n?,+,NA\n",
        {"a": real(None, 2.0, None), "b": text(None, "x", "+"), "c": text("NA", "1", "NA")},
        "read as missing: - 1 time, -999 1 time, ? 1 time (in 'a', 'b'",
        {"nulls": ("a=-999", "b=-", "c=")},
    ),
    Odd(
        "marks of days.csv",
        b"a=b,d\nx,01.01.1900\ny,31.12.2024\n",
        {"a=b": text(None, "y"), "d": day(None, "2024-12-31")},
        options={"nulls": ("a=b=x", "d=1900-01-01")},
    ),
    Odd(
        "marks.parquet",
        frame_bytes("parquet"),
        {"a": whole(None, 2), "b": text("x", "y")},
        "read as missing: 1 1 time (in 'a'",
        {"nulls": ("a=1",)},
    ),
    Odd(
        "own nulls.csv",
        b"a,b\n-9,None\n2,-\n,x\n",
        {"a": whole(None, 2, None), "b": text("None", "-", "x")},
        "-9 1 time",
        {"nulls": ("-9",)},
    ),
    Odd(
        "decimal commas.csv",
        b"a;b;c\n3,5;1.234,5;1.000\n4;2;2.000\n",
        {"a": real(3.5, 4.0), "b": real(1234.5, 2.0), "c": real(1000.0, 2000.0)},
        "decimal comma in 'a', 'b', 'c' (--decimal)",
    ),
    Odd(
        "thousands.csv",
        b'a,b\n"1,234",x\n"12,345.5",y\n7,z\n',
        {"a": real(1234.0, 12345.5, 7.0), "b": text("x", "y", "z")},
        "commas between thousands in 'a'",
    ),
    Odd(
        "amounts.csv",
        (
            "a,b,c,d,e\n"
            '"$41,508.76","1 234,5 €",12%,(300),1.2e3\n'
            '$9,\u20ac 7,0.5 %,"1,000",5\n'
            "-$3.5,\u22121\u202f000 €,-3%,7,-1\n"
        ).encode(),
        {
            "a": real(41508.76, 9.0, -3.5),
            "b": real(1234.5, 7.0, -1000.0),
            "c": real(12.0, 0.5, -3.0),
            "d": real(-300.0, 1000.0, 7.0),
            "e": real(1200.0, 5.0, -1.0),
        },
        "numbers with $, commas between thousands in 'a' (--text)",
    ),
    Odd(
        "more amounts.csv",
        "a;b;c\nCHF 1'234.50;US$5;₹1,23,456\nCHF\u00a02\u2019000;US$ 2;(₹7)\n".encode(),
        {"a": real(1234.5, 2000.0), "b": real(5.0, 2.0), "c": real(123456.0, -7.0)},
        "numbers with CHF, apostrophes between thousands in 'a'",
    ),
    Odd(
        "mixed units.csv",
        "a,b,c\n12%,$5,1k\n0.12,€6,2k\n".encode(),
        {"a": text("12%", "0.12"), "b": text("$5", "€6"), "c": text("1k", "2k")},
        "'a' read as text: its numbers have different units, such as '12%' and '0.12'",
    ),
    Odd(
        "few numbers.csv",
        b"a\n12%\n0.12\nx\ny\n",
        {"a": text("12%", "0.12", "x", "y")},
        "UTF-8",
    ),
    Odd(
        "one stranger.csv",
        b"a\n$1\n$2\n5k\n",
        {"a": text("$1", "$2", "5k")},
        "1 of 3 cells is not a number with $, such as '5k' in line 4 (row 2, counted from 0)",
    ),
    Odd("labels.csv", b"a\n(1)\n(2)\n", {"a": text("(1)", "(2)")}),
    Odd(
        "doubtful.csv",
        b'a,b\n"1,234",1.234 EUR\n"2,500",2.500 EUR\n',
        {"a": real(1234.0, 2500.0), "b": real(1.234, 2.5)},
        "commas between thousands in 'a', which could be decimal commas (--decimal)",
    ),
    Odd(
        "no doubt.csv",
        b'a,b\n"1,234",0.5\n"2,500",0.25\n',
        {"a": real(1234.0, 2500.0), "b": real(0.5, 0.25)},
        "commas between thousands in 'a' (--decimal)",
    ),
    Odd(
        "said commas.csv",
        b'a,b\n"1,234",1.234 EUR\n"2,500",2.500 EUR\n',
        {"a": real(1.234, 2.5), "b": real(1234.0, 2500.0)},
        options={"decimal": ","},
    ),
    Odd("below one.csv", b'a,b\n"0,123",1\n"2,500",2\n', {"a": real(0.123, 2.5), "b": AB["a"]}),
    Odd(
        "amounts as text.csv",
        b"a\n$1\n$2\n",
        {"a": text("$1", "$2")},
        options={"text": ("a",)},
    ),
    Odd(
        "amounts.json",
        b'[{"a": "$1.5", "b": "7"}, {"a": "$2", "b": "8"}]',
        {"a": real(1.5, 2.0), "b": text("7", "8")},
        "numbers with $ in 'a' (--text)",
    ),
    Odd("quoted commas.csv", b'a\tb\n"3,5"\tx\n4,25\ty\n', {"a": real(3.5, 4.25), "b": AB["b"]}),
    Odd(
        "iso dates.csv",
        b"d,t\n2024-02-29,2024-02-29 08:00\n,2024-03-01T09:30:15\n",
        {"d": day("2024-02-29", None), "t": moment("2024-02-29 08:00:00", "2024-03-01 09:30:15")},
    ),
    Odd(
        "zones.csv",
        b"t\n2024-02-29T08:00:00Z\n2024-02-29T08:00:00+02:00\n",
        {"t": ("INSTANT", [1709193600000000, 1709186400000000])},
    ),
    Odd(
        "german dates.csv",
        b"d;x\n31.12.2024;1\n1.2.2025;2\n",
        {"d": day("2024-12-31", "2025-02-01"), "x": whole(1, 2)},
        "dates as %d.%m.%Y in 'd'",
    ),
    Odd(
        "american dates.csv",
        b"d,x\n12/31/2024,1\n2/1/2025,2\n",
        {"d": day("2024-12-31", "2025-02-01"), "x": whole(1, 2)},
        "dates as %m/%d/%Y in 'd'",
    ),
    Odd(
        "two ways.csv",
        b"d,x\n01/02/2024,1\n03/04/2024,2\n",
        {"d": text("01/02/2024", "03/04/2024"), "x": whole(1, 2)},
        "give --date-format %d/%m/%Y or --date-format %m/%d/%Y",
    ),
    Odd(
        "said dates.csv",
        b"d,x\n01/02/2024,1\n03/04/2024,2\n",
        {"d": day("2024-02-01", "2024-04-03"), "x": whole(1, 2)},
        options={"date_format": "%d/%m/%Y"},
    ),
    Odd(
        "named months.csv",
        b'd,e\n31-Dec-2024,"May 5, 2024"\n1-Feb-2025,"June 6, 2024"\n',
        {"d": day("2024-12-31", "2025-02-01"), "e": day("2024-05-05", "2024-06-06")},
    ),
    Odd("no dates.csv", b"d\n2024-02-29\n", {"d": text("2024-02-29")}, options={"dates": False}),
    Odd("no day.csv", b"d\n2024-02-29\n2024-02-30\n", {"d": text("2024-02-29", "2024-02-30")}),
    Odd(
        "clock.csv",
        b"t,x\n08:30,1\n9:05,2\n",
        {"t": ("TIME", ["08:30:00", "09:05:00"]), "x": whole(1, 2)},
    ),
    Odd(
        "mixed.csv",
        b"a,b\n1,x\nabout 2,y\n\n3,z\n",
        {"a": text("1", "about 2", "3"), "b": text("x", "y", "z")},
        "'a' read as text: 1 of 3 cells is not a number, such as 'about 2' in line 3 (row 1,"
        " counted from 0)",
    ),
    Odd(
        "codes.csv",
        b"zip,x\n01234,1\n99999,2\n",
        {"zip": text("01234", "99999"), "x": whole(1, 2)},
        "'zip' read as text: numbers that begin with a zero are codes (--number)",
    ),
    Odd(
        "numbered.csv",
        b"zip\n01234\n99999\n",
        {"zip": whole(1234, 99999)},
        "",
        {"number": ("zip",)},
    ),
    Odd("texts.csv", b"a,b\n1,x\n2,y\n", AB | {"a": text("1", "2")}, "", {"text": ("a",)}),
    Odd(
        "huge.csv",
        b"id,big\n9007199254740993,1e300\n12345678901234567890,1e400\n",
        {"id": text("9007199254740993", "12345678901234567890"), "big": real(1e300, np.inf)},
        "'id' read as text: whole numbers beyond 2**53 are not exact",
    ),
    Odd("long.csv", b"a,b\n1," + b"x" * 200_000 + b"\n", {"a": whole(1), "b": text("x" * 200_000)}),
    Odd("floats.csv", b"a,b\n1,0.1\n-2,1e-3\n", {"a": whole(1, -2), "b": real(0.1, 0.001)}),
    Odd("underscores.csv", b"a\n1_000\n2\n", {"a": text("1_000", "2")}),
    Odd("hex.csv", b"a\n0x1F\n2\n", {"a": text("0x1F", "2")}),
    Odd(
        "booleans.csv",
        b"a,b\nyes,TRUE\nno,FALSE\n",
        {"a": text("yes", "no"), "b": text("TRUE", "FALSE")},
    ),
    Odd("header alone.csv", b"a,b\n", {"a": text(), "b": text()}, "read 0 rows"),
    Odd(
        "no header.csv",
        b"1,x\n2,y\n",
        {"column 1": whole(1, 2), "column 2": AB["b"]},
        options={"no_header": True},
    ),
    Odd("years.csv", b"2023,2024\n1,2\n", {"2023": whole(1), "2024": whole(2)}, "(--no-header)"),
    Odd("iris.csv", b"5.1,a\n4.9,b\n", {"5.1": real(4.9), "a": text("b")}, "(--no-header)"),
    Odd(
        "gaps.dat", b"a b\n1 x\n", {"a b": text("1 x")}, "no delimiter in the header (--delimiter)"
    ),
    Odd("unnamed.csv", b",a\n0,1\n", {"column 1": whole(0), "a": whole(1)}),
    Odd("cases.csv", b"a,A\n1,x\n2,y\n", {"a": whole(1, 2), "A": text("x", "y")}),
    Odd("strange names.csv", b'"x""y","a\'b; --"\n1,2\n', {'x"y': whole(1), "a'b; --": whole(2)}),
    Odd("last comma.csv", b"a,b\n1,x,\n2,y,\n", AB),
    Odd("a.csv.gz", gzip.compress(b"a,b\n1,x\n2,y\n"), AB),
    Odd("a.csv.bz2", bz2.compress(b"a,b\n1,x\n2,y\n"), AB),
    Odd("a.csv.xz", lzma.compress(b"a,b\n1,x\n2,y\n"), AB),
    Odd("a.csv.zst", zstd_bytes(b"a,b\n1,x\n2,y\n"), AB),
    Odd("a.zip", zip_bytes({"a.csv": b"a,b\n1,x\n2,y\n"}), AB),
    Odd(
        "with remarks.zip",
        zip_bytes({"README.txt": b"read me", "LICENSE": b"free", "a.csv.gz": gzip.compress(LINES)}),
        AB,
        options={"form": "json"},
    ),
    Odd(
        "cells.json",
        b'[{"cells[1]": 1, "cells": "x"}, {"cells[1]": 2, "cells": "y"}]',
        {"cells[1]": whole(1, 2), "cells": text("x", "y")},
    ),
    Odd(
        "cells.csv",
        b"cells[1],b\n1,cells[2]\n2,y\n",
        {"cells[1]": whole(1, 2), "b": text("cells[2]", "y")},
    ),
    Odd(
        "mac.zip",
        zip_bytes({"d/": b"", "d/a.json.gz": gzip.compress(JSON), "__MACOSX/d/._a": b"x"}),
        AB,
        "JSON",
    ),
    Odd("a.json", JSON, AB, "JSON"),
    Odd("a.jsonl", LINES, AB),
    Odd("a.json.gz", gzip.compress(JSON), AB),
    Odd(
        "types.json",
        b'[{"a": "1", "b": true, "d": "2024-02-29", "m": 1}, {"a": "x", "d": null, "m": "w"}]',
        {
            "a": text("1", "x"),
            "b": ("BOOLEAN", [True, None]),
            "d": day("2024-02-29", None),
            "m": text("1", "w"),
        },
    ),
    Odd("a.parquet", frame_bytes("parquet"), AB, "Parquet"),
    Odd("a.arrow", frame_bytes("arrow"), AB, "Arrow"),
    Odd("stream.arrows", frame_bytes("stream"), AB, "Arrow"),
    Odd("a.sqlite", SQLITE, AB, "SQLite"),
    Odd(
        "types.db",
        sqlite_bytes(
            "CREATE TABLE t (i, r, s, d, m)",
            "INSERT INTO t VALUES (1, 0.1, '', '2024-02-29', 1), (NULL, 2, 'NA', NULL, 'w')",
        ),
        {
            "i": whole(1, None),
            "r": real(0.1, 2.0),
            "s": text("", "NA"),
            "d": day("2024-02-29", None),
            "m": text("1", "w"),
        },
    ),
    Odd(
        "two tables.db",
        sqlite_bytes("CREATE TABLE t (a)", "CREATE TABLE u (a)", "INSERT INTO u VALUES (7)"),
        {"a": whole(7)},
        options={"table": "u"},
    ),
    Odd("no ending", JSON, AB),
    Odd("wrong ending.csv", frame_bytes("parquet"), AB),
]


def values_of(data, name):
    values = data.column(name)
    if values.dtype.kind == "M":
        return [None if np.isnat(one) else str(one).replace("T", " ")[:19] for one in values]
    return [None if one != one else one for one in map(plain, values.tolist())]


def plain(value):
    return value if value is None or isinstance(value, int | float | str) else str(value)


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.name)
def test_odd_files(odd, tmp_path):
    path = tmp_path / odd.name
    path.write_bytes(odd.content)
    data = read_table(str(path), TableOptions(**odd.options))
    assert data.names == tuple(odd.gives)
    assert {name: (data.kinds[name], values_of(data, name)) for name in data.names} == odd.gives
    assert odd.told in "\n".join(data.told)


@pytest.mark.parametrize("name", ["comma.csv", "a.parquet", "a.jsonl", "a.sqlite", "a.arrow"])
@pytest.mark.parametrize("folder", ["data[1] *?", "year=2024", "it's; --"])
def test_paths_are_names_not_patterns(name, folder, tmp_path):
    odd = next(odd for odd in ODD if odd.name == name)
    (tmp_path / folder).mkdir()
    path = tmp_path / folder / name
    path.write_bytes(odd.content)
    data = read_table(str(path))
    assert {name: (data.kinds[name], values_of(data, name)) for name in data.names} == odd.gives
    assert str(path) in data.told[0]


def test_there_are_forty_odd_files():
    assert len(ODD) >= 40


@pytest.mark.parametrize(
    "name", ["a.csv.gz", "comma.csv", "a.jsonl", "a.parquet", "a.sqlite", "a.csv.zst"]
)
def test_streams_are_known_by_their_content(name, monkeypatch):
    odd = next(odd for odd in ODD if odd.name == name)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(odd.content)))
    data = read_table("-")
    assert "standard input" in data.told[0]
    assert {name: (data.kinds[name], values_of(data, name)) for name in data.names} == odd.gives


def test_pipes_are_read_once(tmp_path):
    """As a shell's <(command) gives them."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a,b\n1,x\n2,y\n",))
    writer.start()
    data = read_table(str(pipe))
    writer.join()
    assert {name: (data.kinds[name], values_of(data, name)) for name in data.names} == AB


BAD = [
    ("empty.csv", b"", "is empty"),
    ("blank.csv", b"\n \n", "is empty"),
    ("twice.csv", b"a,b,a\n1,2,3\n", "names the column 'a' twice"),
    ("few.csv", b"a,b\n1,2\n\n3\n", "line 4 of .* has 1 cell where the header names 2 columns"),
    ("many.csv", b"a,b\r\n1,2\r\n1,2,3\r\n", "line 3 of .* has 3 cells .* another --delimiter"),
    ("after.csv", b'a,b\n"x\ny",2\n# c\n"p\nq",2,3\n', "line 4 of .* has 1 cell"),
    ("later.csv", b'a,b\n"x\ny",2\n"p\nq",2,3\n', "line 4 of .* has 3 cells"),
    ("comment.csv", b"# c\na,b\n1,2\n1\n", "line 4 of .* has 1 cell"),
    ("open.csv", b'a,b\n1,2\n3,"x\n4,5\n', "line 3 of .* a quote that is never closed"),
    (
        "latin.csv",
        "a,b\n1,2\n3,café\n".encode("latin-1"),
        "line 3 .*--encoding NAME: cp1252 .*'café'",
    ),
    ("late.csv", b"a,b\n" + b"1,2\n" * 70_000 + b"1,\xe9t\xe9\n", "line 70002 .* is not UTF-8"),
    ("a.ods", b"PK\x03\x04", "is a spreadsheet.*libreoffice --headless --convert-to xlsx"),
    ("a.xlsx", b"PK\x03\x04", "is not a whole zip file"),
    ("sheet.csv", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 ", "is a spreadsheet"),
    ("zip.csv", b"PK\x03\x04 ", "is not a whole zip file"),
    ("two.zip", zip_bytes({"a.csv": b"a", "b.csv": b"b"}), "holds 'a.csv', 'b.csv'.*one table"),
    ("none.zip", zip_bytes({"folder/": b"", "__MACOSX/._a.csv": b"x"}), "holds no file"),
    ("cut.zip", zip_bytes({"a.csv": b"a,b\n" * 99})[:-70], "is not a whole zip file"),
    ("numbers.json", b"[1, 2]", "holds no JSON objects"),
    ("broken.jsonl", b'{"a": 1}\n{"a": }\n', "cannot be read as JSON"),
    ("none.db", sqlite_bytes("CREATE TABLE t (a)", "DROP TABLE t"), "has no table"),
    (
        "two.db",
        sqlite_bytes("CREATE TABLE t (a)", "CREATE TABLE u (a)"),
        "'t', 'u'; choose .*--table",
    ),
]


@pytest.mark.parametrize(("name", "content", "message"), BAD, ids=lambda one: str(one)[:12])
def test_bad_files_are_one_sentence(name, content, message, tmp_path):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message) as raised:
        read_table(str(tmp_path / name))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("https://example.org/a.csv", "curl -LO 'https://example.org/a.csv'"),
        ("s3://bucket/a.parquet", "aws s3 cp 's3://bucket/a.parquet' ."),
        ("postgres://me@host/db", "psql 'postgres://me@host/db'"),
        ("mysql://host/db", "mysql --batch"),
    ],
)
def test_addresses_are_refused_with_a_remedy(address, remedy):
    with pytest.raises(DataError) as raised:
        read_table(address)
    assert f"{address} is an address" in str(raised.value)
    assert remedy in str(raised.value)


def test_directories_are_refused(tmp_path):
    with pytest.raises(DataError, match="is a directory; give one of the files"):
        read_table(str(tmp_path))


def test_connections_download_nothing():
    names = ("autoinstall_known_extensions", "autoload_known_extensions")
    with connect() as connection:
        for name in names:
            found = connection.execute(f"SELECT current_setting('{name}')").fetchone()
            assert found == (False,)


@contextmanager
def interrupted(seconds):
    """Raises KeyboardInterrupt in the block after some time, as Ctrl-C does."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        with pytest.raises(KeyboardInterrupt):
            yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_statements_end_at_an_interrupt():
    endless = "SELECT sum(a.range + b.range) FROM range(1000000) a, range(9999) b"
    with connect() as connection:
        with interrupted(0.3):
            connection.execute(endless)
        assert connection.execute("SELECT 1").fetchone() == (1,)


ENDLESS_VIEW = (
    "CREATE VIEW v AS WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t)"
    " SELECT n, {} AS y FROM t"
)


def test_interrupts_are_told_until_the_statement_hears():
    """DuckDB forgets an interrupt that comes before a statement."""
    heard, begun = threading.Event(), threading.Event()
    told = []

    def interrupt():
        told.append(1)
        if len(told) == 3:
            heard.set()

    with ThreadPoolExecutor(1) as beside, interrupted(0.1):
        finished(beside.submit(lambda: (begun.set(), heard.wait(5))), interrupt)
    assert begun.is_set()
    assert len(told) == 3


def test_endless_views_end_at_an_interrupt(tmp_path):
    (tmp_path / "v.db").write_bytes(sqlite_bytes(ENDLESS_VIEW.format("n % 2")))
    with interrupted(0.5):
        read_table(str(tmp_path / "v.db"))


def test_ctrl_c_ends_the_command_with_its_own_code(tmp_path):
    (tmp_path / "v.db").write_bytes(sqlite_bytes(ENDLESS_VIEW.format("n % 2")))
    code = "import sys; from silva.cli.main import run; print('go'); sys.stdout.flush(); "
    code += "sys.exit(run(['fit', sys.argv[1], '-t', 'y']))"
    words = [sys.executable, "-c", code, str(tmp_path / "v.db")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert err.decode().strip() == "Stopped; nothing was written."


BOMB = b"a,b\n" + b"1,2\n" * 50_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv.gz", gzip.compress(BOMB)),
        ("a.csv.bz2", bz2.compress(BOMB)),
        ("a.csv.xz", lzma.compress(BOMB)),
        ("a.csv.zst", zstd_bytes(BOMB)),
        ("a.zip", zip_bytes({"a.csv": BOMB})),
        ("nested.zip", zip_bytes({"a.csv.gz": gzip.compress(BOMB)})),
        ("a.db", sqlite_bytes(ENDLESS_VIEW.format("1") + " LIMIT 100000")),
        ("-", BOMB),
    ],
)
def test_files_that_unpack_to_too_much_are_refused(name, content, tmp_path, monkeypatch):
    path = name if name == "-" else str(tmp_path / name)
    if name == "-":
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=r"unpacks to more than 100,000 bytes; .*--max-unpacked"):
        read_table(path, TableOptions(max_unpacked=100_000))
    if name != "-":
        assert read_table(path, TableOptions(max_unpacked=10_000_000)).n_rows >= 50_000


def test_the_limit_follows_the_disk_and_the_packed_size(tmp_path, monkeypatch):
    usage = SimpleNamespace(free=10**13)
    monkeypatch.setattr("silva.cli.tables.unpack.shutil.disk_usage", lambda folder: usage)
    folder = str(tmp_path)
    assert limit_of(folder, None) == 5 * 10**12
    assert limit_of(folder, None, 1000) == 10**9
    assert limit_of(folder, None, 10**9) == 10**11
    usage.free = 10**6
    assert limit_of(folder, None, 10**9) == 5 * 10**5
    assert limit_of(folder, 7, 10**9) == 7


def test_no_path_reaches_for_an_extension(tmp_path, monkeypatch):
    """Whatever is refused is refused before DuckDB sees its name."""
    seen, execute = [], Connection.execute

    def spied(self, statement):
        seen.append(statement)
        return execute(self, statement)

    monkeypatch.setattr(Connection, "execute", spied)
    (tmp_path / "a.ods").write_bytes(b"PK\x03\x04")
    for path in (str(tmp_path / "a.ods"), "https://example.org/a.parquet", "s3://b/a.csv"):
        with pytest.raises(DataError):
            read_table(path)
    assert {statement.split()[0] for statement in seen} == {"SET"}


def test_arrow_without_pyarrow_says_so(tmp_path, monkeypatch):
    (tmp_path / "a.arrow").write_bytes(frame_bytes("arrow"))
    monkeypatch.setattr("silva.cli.tables.structured.find_spec", lambda name: None)
    with pytest.raises(DataError, match="needs pyarrow; run: pip install pyarrow"):
        read_table(str(tmp_path / "a.arrow"))


def test_many_texts_are_not_coded(tmp_path):
    path = tmp_path / "ids.csv"
    path.write_text("id,x\n" + "".join(f"n{i},{i}\n" for i in range(30_000)) + ",1\n")
    data = read_table(str(path))
    assert isinstance(data.columns["id"], np.ndarray)
    assert data.column("id")[[0, 29_999, 30_000]].tolist() == ["n0", "n29999", None]


def test_texts_of_few_levels_are_coded(tmp_path):
    cells = [("b", "", "é", "a", "NA", "Z")[i % 6] for i in range(30_000)]
    path = tmp_path / "levels.csv"
    path.write_text("level,empty,x\n" + "".join(f"{cell},,{i}\n" for i, cell in enumerate(cells)))
    data = read_table(str(path))
    assert data.columns["level"].levels == ("Z", "a", "b", "é")
    assert data.columns["empty"].levels == ()
    known = [None if cell in ("", "NA") else cell for cell in cells]
    assert data.column("level").tolist() == known
    assert data.column("x").tolist() == list(range(30_000))
    assert "NA 5,000 times (in 'level'" in data.told[1]


def test_wide_tables_are_examined_column_by_column(tmp_path):
    kinds = ["1", "0.5", "x", "01", "2024-01-02", ""]
    cells = [kinds[place % 6] for place in range(150)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{place}" for place in range(150)) + "\n" + ",".join(cells) + "\n")
    data = read_table(str(path))
    types = ["BIGINT", "DOUBLE", "VARCHAR", "VARCHAR", "DATE", "VARCHAR"]
    assert list(data.kinds.values()) == types * 25
    assert "'c3', 'c9', 'c15', 'c21' and 21 more read as text" in data.told[1]


@pytest.mark.parametrize("odd", [one for one in ODD if one.gives], ids=lambda odd: odd.name)
def test_wide_tables_are_read_as_others(odd, tmp_path, monkeypatch):
    """Very wide tables are loaded as lists of cells: no file may mean something else then."""
    monkeypatch.setattr("silva.cli.tables.text.is_wide", lambda path, n_columns: True)
    test_odd_files(odd, tmp_path)


WIDE_CELLS = ("0.5", "x", "NA", "2024-01-02", "0,5", "<1", "$1,234.50", "12%", "1,234")


@pytest.mark.parametrize("nulls", [(), ("8",), ("c7=8", "c9=y")], ids=["", "all", "own"])
@pytest.mark.parametrize("cell", WIDE_CELLS)
def test_statements_do_not_grow_with_columns(cell, nulls, tmp_path, monkeypatch):
    statements, execute = [], Connection.execute

    def spied(self, statement):
        statements.append(statement)
        return execute(self, statement)

    monkeypatch.setattr(Connection, "execute", spied)
    path = tmp_path / "wide.csv"
    names = ";".join(f"c{place}" for place in range(3000))
    rows = [";".join([one] * 3000) for one in (cell, "7", "8", cell)]
    path.write_text("\n".join([names, *rows, ""]))
    data = read_table(str(path), TableOptions(nulls=nulls))
    assert data.n_rows == 4
    assert len(data.names) == 3000
    assert len(set(data.kinds.values())) == 1
    assert len(statements) < 40


def test_wide_tables_take_queries_and_some_columns(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{place}" for place in range(600)) + "\n" + "1," * 599 + "2\n")
    found = read_table(
        str(path), TableOptions(query="SELECT c599 + c0 AS s, 'cells[2]' AS t FROM data")
    )
    assert found.column("s").tolist() == [3]
    assert found.column("t").tolist() == ["cells[2]"]
    assert read_table(str(path), only=["c599"]).column("c599").tolist() == [2]


def test_wide_files_are_refused_by_their_line(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{place}" for place in range(600)) + "\n" + "1," * 500 + "\n")
    with pytest.raises(DataError, match=r"line 2 of .* has 501 cells where the header names 600"):
        read_table(str(path))


def test_the_first_known_cell_may_come_late(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("a,b,c\n" + ",NA,x\n" * 2000 + "7,2024-01-02,x\n")
    assert read_table(str(path)).kinds == {"a": "BIGINT", "b": "DATE", "c": "VARCHAR"}


@pytest.mark.parametrize(("last", "first_value"), [("3,5", 1.234), ("7,654,321", 1234.0)])
def test_later_cells_decide_what_commas_are(tmp_path, last, first_value):
    path = tmp_path / "commas.csv"
    path.write_text("a\tb\n" + "1,234\tx\n" * 300 + f"{last}\tx\n")
    data = read_table(str(path))
    assert (data.kinds["a"], data.column("a")[0]) == ("DOUBLE", first_value)


def test_sqlite_files_with_a_log_are_read_whole(tmp_path):
    path = tmp_path / "log.db"
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("CREATE TABLE t (a)")
    database.execute("INSERT INTO t VALUES (1), (2)")
    database.commit()
    assert (tmp_path / "log.db-wal").exists()
    assert read_table(str(path)).column("a").tolist() == [1, 2]
    database.close()


def test_instants_that_are_named_as_missing(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("t\n1970-01-01T00:00:00Z\n2024-02-29T08:00:00+02:00\n")
    data = read_table(str(path), TableOptions(nulls=("t=1970-01-01 00:00Z",)))
    assert data.columns["t"].missing.tolist() == [True, False]


def test_whole_numbers_beyond_64_bits_are_not_rounded(tmp_path):
    path = tmp_path / "wide.jsonl"
    path.write_text('{"a": 1, "id": 123456789012345678901}\n{"a": 2, "id": 3}\n')
    data = read_table(str(path))
    assert data.column("a").tolist() == [1, 2]
    if data.kinds["id"] != "DOUBLE":  # DuckDB takes such numbers of JSON for floats
        with pytest.raises(DataError, match="HUGEINT"):
            data.column("id")
    table = tmp_path / "t.csv"
    table.write_text("a\n1\n2\n")
    query = (
        "SELECT sum(a) AS s, 10::HUGEINT ** 25 AS p, 99999999999999999999::HUGEINT AS h FROM data"
    )
    found = read_table(str(table), TableOptions(query=query))
    assert found.column("s").tolist() == [3]
    with pytest.raises(DataError, match=r"column 'h' holds values of type HUGEINT.*--query"):
        found.column("h")


def test_files_beyond_memory_spill_into_the_temporary_folder(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a\n1\n")
    statements, execute = [], Connection.execute

    def spied(self, statement):
        statements.append(statement)
        return execute(self, statement)

    monkeypatch.setattr(Connection, "execute", spied)
    read_table(str(tmp_path / "t.csv"))
    assert any(one.startswith("SET temp_directory = '") and "silva-" in one for one in statements)


def test_rows_are_taken_in_order(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b,c,d\n1,x,2024-01-01,2024-01-01T00:00Z\n,,,\n3,z,2024-01-03,\n")
    taken = read_table(str(path)).take(np.array([2, 1]))
    assert [values_of(taken, name) for name in "abc"] == [
        [3, None],
        ["z", None],
        ["2024-01-03", None],
    ]
    assert taken.table(["d", "a"])[1:].n_rows == 1
    assert taken.columns["d"].missing.tolist() == [True, True]
