"""Builds wheels and source archives of lode for pip (PEP 517), with cmake and nothing else.

The wheel holds the package and the module, in which the whole library is: `cp311-abi3`, one for
Python 3.11 and all later versions. CMAKE_ARGS in the environment adds arguments for cmake, such as
-DLODE_CUDA=OFF, CMAKE_BUILD_PARALLEL_LEVEL says how many compilers run at once.

SPDX-License-Identifier: Apache-2.0
"""
import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

if sys.version_info < (3, 11):
    raise SystemExit("lode: needs Python 3.11 or newer; this is Python "
                     f"{sys.version_info[0]}.{sys.version_info[1]}")
import tomllib

ROOT = Path(__file__).resolve().parent.parent
PYTHON_TAG, ABI_TAG = "cp311", "abi3"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same files give the same wheel


# ---- Metadata -----------------------------------------------------------------------------------

def project():
    with open(ROOT / "pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def version():
    text = (ROOT / "include" / "lode" / "status.h").read_text()
    return re.search(r'#define LODE_VERSION_TEXT\s+"(.*?)"', text)[1]


def metadata():
    about = project()
    lines = ["Metadata-Version: 2.1", f"Name: {about['name']}", f"Version: {version()}",
             f"Summary: {about['description']}", f"License: {about['license']['text']}",
             f"Requires-Python: {about['requires-python']}"]
    lines += [f"Requires-Dist: {need}" for need in about["dependencies"]]
    for extra, needs in about["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need}; extra == '{extra}'" for need in needs]
    lines += ["Description-Content-Type: text/markdown", "",
              (ROOT / "docs" / "python.md").read_text(encoding="utf-8")]
    return "\n".join(lines)


def tag():
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{PYTHON_TAG}-{ABI_TAG}-{platform}"


# ---- Building -----------------------------------------------------------------------------------

def build_package():
    """Compiles, and returns the folder of the package, ready to be copied."""
    build = ROOT / "build" / "wheel"
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
                 "-DLODE_TESTS=OFF", "-DLODE_SERVER=OFF", "-DLODE_SHARED=OFF", "-DLODE_PYTHON=ON",
                 f"-DLODE_PYTHON_PROGRAM={sys.executable}",
                 *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
    run(configure)
    run(["cmake", "--build", str(build), "--target", "lode-python-package", "-j", jobs])
    return build / "python" / "lode"


def run(command):
    try:
        subprocess.run(command, check=True)
    except FileNotFoundError:
        raise SystemExit("lode: cmake is not installed; on Debian: apt-get install cmake gcc "
                         "zlib1g-dev libzstd-dev python3-dev") from None
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"lode: {command[0]} failed, see above ({error.returncode})") from None


class Wheel:
    """A wheel that is being written: files, and a record of what they are."""

    def __init__(self, path):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.record = []

    def add(self, name, content, mode=0o644):
        info = zipfile.ZipInfo(name, EPOCH)
        info.external_attr = mode << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.archive.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(content)}")

    def close(self, folder):
        name = f"{folder}/RECORD"
        self.archive.writestr(zipfile.ZipInfo(name, EPOCH),
                              "\n".join([*self.record, f"{name},,", ""]))
        self.archive.close()


def package_files(package):
    """The package: what the sources name, as it was copied, and the module."""
    sources = sorted(path.name for path in (ROOT / "python" / "lode").iterdir()
                     if path.suffix in (".py", ".pyi") or path.name == "py.typed")
    return [package / name for name in [*sources, "_lode.abi3.so"]]


def info_files():
    """The files of the dist-info folder but the record."""
    kind = (f"Wheel-Version: 1.0\nGenerator: lode ({version()})\nRoot-Is-Purelib: false\n"
            f"Tag: {tag()}\n")
    return [("METADATA", metadata().encode()), ("LICENSE", (ROOT / "LICENSE").read_bytes()),
            ("WHEEL", kind.encode())]


# ---- The hooks that pip calls -------------------------------------------------------------------

def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """What pip wants to know before it builds: without this it builds everything to read it."""
    folder = Path(metadata_directory) / f"lode-{version()}.dist-info"
    folder.mkdir()
    for name, content in info_files():
        (folder / name).write_bytes(content)
    return folder.name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = build_package()
    name = f"lode-{version()}-{tag()}.whl"
    wheel = Wheel(Path(wheel_directory) / name)
    for path in package_files(package):
        wheel.add(f"lode/{path.name}", path.read_bytes(), 0o755 if path.suffix == ".so" else 0o644)
    info = f"lode-{version()}.dist-info"
    for file, content in info_files():
        wheel.add(f"{info}/{file}", content)
    wheel.close(info)
    return name


def source_files():
    """All files of the project: what git knows, or what is there without builds."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True,
                            check=False)
    if listed.returncode == 0 and listed.stdout:
        return sorted(listed.stdout.decode().rstrip("\0").split("\0"))
    skipped = {"build", ".git", "node_modules", "__pycache__"}
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                  if path.is_file() and not skipped & set(path.relative_to(ROOT).parts))


def build_sdist(sdist_directory, config_settings=None):
    folder = f"lode-{version()}"
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in source_files():
            if (ROOT / name).is_file():
                archive.add(ROOT / name, f"{folder}/{name}", recursive=False)
        info = tarfile.TarInfo(f"{folder}/PKG-INFO")
        content = metadata().encode()
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    name = f"{folder}.tar.gz"
    with open(Path(sdist_directory) / name, "wb") as file:
        file.write(gzip.compress(out.getvalue(), mtime=0))
    return name
