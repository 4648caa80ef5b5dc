"""Taking model files apart and putting them together again, to damage them on purpose."""

import hashlib
import json

SHA = "sha256"


def taken_apart(data):
    """The header as a dictionary and the data section."""
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def put_together(header, section, reseal=True):
    """A file of this header and section; `reseal` makes the checksums right again."""
    metadata = header.get("__metadata__")
    if reseal and isinstance(metadata, dict):
        metadata[SHA] = hashlib.sha256(section).hexdigest()
        if isinstance(metadata.get("meta"), str):
            text = metadata["meta"].encode("utf-8", "surrogatepass")
            metadata["meta_sha256"] = hashlib.sha256(text).hexdigest()
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + section


def with_meta(data, change):
    """The file in which `change` has edited the dictionary of `meta`."""
    header, section = taken_apart(data)
    meta = json.loads(header["__metadata__"]["meta"])
    change(meta)
    header["__metadata__"]["meta"] = json.dumps(meta)
    return put_together(header, section)
