"""Messages to and from the Node process: a JSON text and arrays, as bytes (src/cli/serve/frames.ts has the form)."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np

Arrays = Mapping[str, np.ndarray]


def write_frame(pipe: BinaryIO, head: Mapping[str, Any], arrays: Arrays) -> None:
    listed = [{"name": name, "type": array.dtype.str, "shape": array.shape} for name, array in arrays.items()]
    text = json.dumps({**head, "arrays": listed}).encode()
    pipe.write(struct.pack("<I", len(text)) + text)
    for array in arrays.values():
        pipe.write(memoryview(np.ascontiguousarray(array).reshape(-1)).cast("B"))
    pipe.flush()


def read_frame(pipe: BinaryIO) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """The next message. EOFError if the other side has ended."""
    (length,) = struct.unpack("<I", _read(pipe, bytearray(4)))
    head = json.loads(_read(pipe, bytearray(length)))
    arrays = {}
    for item in head.pop("arrays"):
        array = np.empty(item["shape"], np.dtype(item["type"]))
        _read(pipe, memoryview(array.reshape(-1)).cast("B"))
        arrays[item["name"]] = array
    return head, arrays


def _read(pipe: BinaryIO, into: Any) -> Any:
    view = memoryview(into)
    done = 0
    while done < len(view):
        count = pipe.readinto(view[done:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError
        done += count
    return into
