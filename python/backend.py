"""Builds the wheel and the source archive (PEP 517), with the standard library alone and the same bytes each time.

`npm run wheel` bundles the JavaScript into trainlets/program first.
"""

import base64
import hashlib
import io
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

here = Path(__file__).parent
project = tomllib.loads((here / "pyproject.toml").read_text())["project"]
name = f"{project['name']}-{project['version']}"
info = f"{name}.dist-info"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    file = f"{name}-py3-none-any.whl"
    entries = [*package_files(), *metadata_files()]
    record = [f"{path},sha256={digest(data)},{len(data)}\n" for path, data in entries]
    record.append(f"{info}/RECORD,,\n")
    entries.append((f"{info}/RECORD", "".join(record).encode()))
    with zipfile.ZipFile(Path(wheel_directory, file), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in entries:
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o100644 << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return file


def build_sdist(sdist_directory, config_settings=None):
    file = f"{name}.tar.gz"
    sources = [
        (path.name, path.read_bytes()) for path in map(here.joinpath, ["pyproject.toml", "backend.py", "README.md"])
    ]
    with tarfile.open(Path(sdist_directory, file), "w:gz") as archive:
        for path, data in [*sources, *package_files(), ("PKG-INFO", metadata())]:
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return file


def package_files():
    if not (here / "trainlets/program/serve.mjs").exists():
        raise SystemExit("the JavaScript is missing: run `npm run wheel`")
    paths = sorted(path for path in (here / "trainlets").rglob("*") if path.is_file())
    return [
        (path.relative_to(here).as_posix(), path.read_bytes())
        for path in paths
        if "__pycache__" not in path.parts and "node_modules" not in path.parts
    ]


def metadata_files():
    wheel = "Wheel-Version: 1.0\nGenerator: trainlets\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    return [(f"{info}/METADATA", metadata()), (f"{info}/WHEEL", wheel.encode())]


def metadata():
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Author: {project['authors'][0]['name']}",
        f"License-Expression: {project['license']}",
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {one}" for one in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {one}" for one in project["dependencies"]),
        "Description-Content-Type: text/markdown",
    ]
    readme = (here / project["readme"]).read_text(encoding="utf-8")
    return ("\n".join(lines) + "\n\n" + readme).encode()


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(build_wheel(sys.argv[1]))
