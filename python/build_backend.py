"""Builds wheels and source archives of lode for pip (PEP 517), with cmake and nothing else.

The wheel holds the package, the module, in which the whole library is, and the command `lode`:
`cp311-abi3`, one for Python 3.11 and all later versions. If module and command need only the C
library (LODE_LINK=BUNDLED), the wheel is a manylinux wheel for the oldest C library that has their
symbols. CMAKE_ARGS in the environment adds arguments for cmake, such as -DLODE_CUDA=OFF,
CMAKE_BUILD_PARALLEL_LEVEL says how many compilers run at once.

Backends that others maintain (scikit-build-core, meson-python) are not in Debian 12, or need more
than cmake; this one needs no package from the network.

SPDX-License-Identifier: Apache-2.0
"""
import base64
import gzip
import hashlib
import io
import os
import re
import shlex
import stat
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
             "License-File: LICENSE", f"Requires-Python: {about['requires-python']}",
             f"Keywords: {','.join(about['keywords'])}"]
    lines += [f"Author: {author['name']}" for author in about["authors"]]
    lines += [f"Classifier: {one}" for one in about["classifiers"]]
    lines += [f"Requires-Dist: {need}" for need in about["dependencies"]]
    for extra, needs in about["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need}; extra == '{extra}'" for need in needs]
    lines += ["Description-Content-Type: text/markdown", "",
              (ROOT / about["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines)


def needed_glibc(file):
    """The oldest C library (2, X) with which a program or a module runs; None: it needs others."""
    done = subprocess.run(["readelf", "--dynamic", "--version-info", "--wide", str(file)],
                          capture_output=True, text=True, check=True)
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout)
    if not all(re.fullmatch(r"(lib(c|m|dl|rt|pthread)|ld-linux[\w-]*)\.so\.\d", one)
               for one in libraries):
        return None
    found = re.findall(r"GLIBC_(\d+)\.(\d+)", done.stdout)
    return max((int(major), int(minor)) for major, minor in found)


def tag(files):
    """The tag of a wheel with these programs and modules."""
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    versions = [needed_glibc(file) for file in files]
    if platform.startswith("linux_") and None not in versions:
        major, minor = max(versions)
        platform = platform.replace("linux", f"manylinux_{major}_{minor}", 1)
    return f"{PYTHON_TAG}-{ABI_TAG}-{platform}"


# ---- Building -----------------------------------------------------------------------------------

def build_package():
    """Compiles, and returns the folder of the package, ready to be copied, and the command."""
    more = shlex.split(os.environ.get("CMAKE_ARGS", ""))
    kind = "-" + hashlib.sha256(repr(more).encode()).hexdigest()[:8] if more else ""
    build = ROOT / "build" / f"wheel{kind}"
    configure = ["cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
                 "-DLODE_TESTS=OFF", "-DLODE_SERVER=OFF", "-DLODE_SHARED=OFF", "-DLODE_PYTHON=ON",
                 f"-DLODE_PYTHON_PROGRAM={sys.executable}",
                 *more]
    jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
    run(configure)
    run(["cmake", "--build", str(build), "--target", "lode-python-package",
         "lode-cli", "-j", jobs])
    return build / "python" / "lode", build / "lode"


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
        info.external_attr = (stat.S_IFREG | mode) << 16  # pip wants to know that it is a file
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
    """The files of the dist-info folder that are known before anything is built."""
    return [("METADATA", metadata().encode()), ("LICENSE", (ROOT / "LICENSE").read_bytes())]


def write_wheel(folder, tags, files):
    """Writes a wheel with these files, (name, content, mode) each; returns its name."""
    name = f"lode-{version()}-{tags}.whl"
    info = f"lode-{version()}.dist-info"
    kind = (f"Wheel-Version: 1.0\nGenerator: lode ({version()})\nRoot-Is-Purelib: false\n"
            f"Tag: {tags}\n")
    part = Path(folder) / f"{name}.part"
    wheel = Wheel(part)
    for file, content, mode in files:
        wheel.add(file, content, mode)
    for file, content in [*info_files(), ("WHEEL", kind.encode())]:
        wheel.add(f"{info}/{file}", content)
    wheel.close(info)
    part.rename(Path(folder) / name)
    return name


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
    package, program = build_package()
    files = [(f"lode/{path.name}", path.read_bytes(), 0o755 if path.suffix == ".so" else 0o644)
             for path in package_files(package)]
    files.append((f"lode-{version()}.data/scripts/lode", program.read_bytes(), 0o755))
    return write_wheel(wheel_directory, tag([package / "_lode.abi3.so", program]), files)


def get_requires_for_build_editable(config_settings=None):
    return []


def prepare_metadata_for_build_editable(metadata_directory, config_settings=None):
    return prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that names a folder of links to the sources, with the module that was built."""
    package, program = build_package()
    links = ROOT / "build" / "editable"
    (links / "lode").mkdir(parents=True, exist_ok=True)
    for path in package_files(package):
        source = ROOT / "python" / "lode" / path.name
        link = links / "lode" / path.name
        link.unlink(missing_ok=True)
        link.symlink_to(source if source.exists() else path)
    files = [("lode-editable.pth", f"{links}\n".encode(), 0o644),
             (f"lode-{version()}.data/scripts/lode", program.read_bytes(), 0o755)]
    return write_wheel(wheel_directory, tag([package / "_lode.abi3.so", program]), files)


def is_needed(name):
    """Whether a file goes into the source archive: not pictures and results of benchmarks."""
    is_picture = name.startswith("docs/") and name.endswith((".png", ".svg"))
    return not is_picture and not name.startswith("bench/results/")


def source_files():
    """All files of the project: what git knows, or what is there without builds."""
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"], capture_output=True,
                            check=False)
    if listed.returncode == 0 and listed.stdout:
        return sorted(listed.stdout.decode().rstrip("\0").split("\0"))
    skipped = {"build", ".git", "node_modules", "__pycache__"}
    return sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*")
                  if path.is_file() and not skipped & set(path.relative_to(ROOT).parts))


def of_nobody(info):
    """An entry of a source archive without user and time: the same files give the same archive."""
    info.uid = info.gid = info.mtime = 0
    info.uname = info.gname = ""
    return info


def build_sdist(sdist_directory, config_settings=None):
    folder = f"lode-{version()}"
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in source_files():
            if is_needed(name) and (ROOT / name).is_file():
                archive.add(ROOT / name, f"{folder}/{name}", recursive=False, filter=of_nobody)
        info = tarfile.TarInfo(f"{folder}/PKG-INFO")
        content = metadata().encode()
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    name = f"{folder}.tar.gz"
    with open(Path(sdist_directory) / name, "wb") as file:
        file.write(gzip.compress(out.getvalue(), mtime=0))
    return name
