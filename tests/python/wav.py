"""Writes sound files with scipy and with the wave module of Python, for wav-python.test.ts.

Input  {"folder": ...}; output {file name: {"shape", "values"}}: one row per channel.
"""

import json
import sys
import wave
from pathlib import Path

import numpy as np
import scipy.io.wavfile


def main():
    folder = Path(json.load(sys.stdin)["folder"])
    rng = np.random.default_rng(1)
    found = {}

    def note(name, frames):
        rows = np.atleast_2d(frames.T)
        shape = list(rows.shape) if len(rows) > 1 else [rows.shape[1]]
        found[name] = {"shape": shape, "values": [float(value) for value in rows.ravel()]}

    for channels in (1, 2, 5):
        size = (37,) if channels == 1 else (37, channels)
        for dtype in ("int16", "int32", "float32", "float64", "uint8"):
            if dtype.startswith("float"):
                frames = rng.normal(size=size).astype(dtype)
            else:
                limits = np.iinfo(dtype)
                frames = rng.integers(limits.min, limits.max, size=size, endpoint=True, dtype=dtype)
            name = f"scipy-{dtype}-{channels}.wav"
            scipy.io.wavfile.write(folder / name, 8000, frames)
            note(name, frames.astype(np.int16) - 128 if dtype == "uint8" else frames)
        for width in (1, 2, 3, 4):
            raw = rng.integers(0, 256, size=(37, channels, width), dtype=np.uint8)
            values = sum(raw[:, :, byte].astype(np.int64) << (8 * byte) for byte in range(width))
            if width == 1:
                values = values - 128
            else:
                values = np.where(values >= 1 << (8 * width - 1), values - (1 << (8 * width)), values)
            name = f"wave-{width}-{channels}.wav"
            with wave.open(str(folder / name), "wb") as file:
                file.setnchannels(channels)
                file.setsampwidth(width)
                file.setframerate(44100)
                file.writeframes(raw.tobytes())
            note(name, values if channels > 1 else values[:, 0])
    json.dump(found, sys.stdout)


main()
