"""The wheel: its files and tags always; with LODE_LONG=1, `pip wheel` and `pip install` offline.

SPDX-License-Identifier: Apache-2.0
"""
import email
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import unittest.mock
import zipfile

import lode
from support import LONG

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
import build_backend  # noqa: E402


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_backend(self):
        """The hooks, with the package of the build tree in place of another build."""
        built = pathlib.Path(lode.__file__).parent
        program = pathlib.Path(os.environ["LODE_BIN"])
        with unittest.mock.patch.object(build_backend, "build_package", lambda: (built, program)):
            name = build_backend.build_wheel(self.folder)
        with unittest.mock.patch.object(build_backend, "build_package", None):  # nothing is built
            prepared = self.folder / build_backend.prepare_metadata_for_build_wheel(self.folder)
        self.assertRegex(name, r"^lode-[0-9.]+-cp311-abi3-linux_\w+\.whl$")
        with zipfile.ZipFile(self.folder / name) as wheel:
            names = wheel.namelist()
            self.assertIsNone(wheel.testzip())
            wheel.extractall(self.folder / "site")
            for file in ("METADATA", "LICENSE"):
                self.assertEqual((prepared / file).read_bytes(), wheel.read(f"{prepared.name}/{file}"))
        for needed in ("lode/_lode.abi3.so", "lode/__init__.py", "lode/py.typed",
                       f"lode-{lode.__version__}.data/scripts/lode",
                       f"lode-{lode.__version__}.dist-info/RECORD"):
            self.assertIn(needed, names)
        said = email.message_from_bytes((prepared / "METADATA").read_bytes())
        for field in ("Summary", "Author", "License", "License-File", "Keywords", "Classifier",
                      "Requires-Python", "Requires-Dist"):
            self.assertTrue(said[field], field)
        code = "import lode; print(lode.__file__, lode.Data([[1]]).count(1))"
        environment = {**os.environ, "PYTHONPATH": str(self.folder / "site")}
        said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True,
                              text=True, check=True, cwd=self.folder).stdout.split()
        self.assertEqual(said, [str(self.folder / "site" / "lode" / "__init__.py"), "1"])

    def test_tags(self):
        """By the newest symbol of all files; others than the C library's give a plain tag."""
        def tag(*texts):
            answers = [subprocess.CompletedProcess([], 0, text) for text in texts]
            with unittest.mock.patch.object(build_backend.subprocess, "run", side_effect=answers):
                return build_backend.tag(texts)
        libc = "(NEEDED) Shared library: [libc.so.6]\nName: GLIBC_2.17\n"
        machine = sysconfig.get_platform().split("-")[1]
        self.assertEqual(tag(libc, libc + "Name: GLIBC_2.4\nName: GLIBC_2.34\n"),
                         f"cp311-abi3-manylinux_2_34_{machine}")
        self.assertEqual(tag(libc, libc + "(NEEDED) Shared library: [libzstd.so.1]\n"),
                         f"cp311-abi3-linux_{machine}")

    def test_editable(self):
        """Changes of the Python files count at once; the module is the one that was built."""
        built = pathlib.Path(lode.__file__).parent
        program = pathlib.Path(os.environ["LODE_BIN"])
        copy = self.folder / "copy"
        for name in ("python/lode", "include/lode", "docs"):
            (copy / name).mkdir(parents=True)
        for name in ("pyproject.toml", "LICENSE", "docs/python.md", "include/lode/status.h",
                     *(f"python/lode/{path.name}" for path in (ROOT / "python/lode").glob("*.py"))):
            shutil.copy(ROOT / name, copy / name)
        with unittest.mock.patch.multiple(build_backend, ROOT=copy,
                                          build_package=lambda: (built, program)):
            name = build_backend.build_editable(self.folder)
        with zipfile.ZipFile(self.folder / name) as wheel:
            links = wheel.read("lode-editable.pth").decode().strip()
        with open(copy / "python/lode/__init__.py", "a", encoding="utf-8") as file:
            file.write("changed = True\n")
        code = "import lode; print(lode.changed, lode.Data([[1]]).count(1))"
        said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": links}, check=True).stdout
        self.assertEqual(said, "True 1\n")

    def test_source_archive(self):
        name = build_backend.build_sdist(self.folder)
        with tarfile.open(self.folder / name) as archive:
            names = archive.getnames()
        top = f"lode-{lode.__version__}"
        for needed in ("PKG-INFO", "pyproject.toml", "CMakeLists.txt", "python/src/run.c",
                       "include/lode.h", "src/api/build.c"):
            self.assertIn(f"{top}/{needed}", names)
        for left_out in ("build", "docs/pictures", "docs/plots", "bench/results"):
            self.assertFalse([name for name in names if name.startswith(f"{top}/{left_out}/")])
        self.assertFalse([name for name in names if name.endswith(".png")])

    @unittest.skipUnless(LONG, "building with pip takes minutes: LODE_LONG=1")
    def test_pip(self):
        venv = self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", venv], check=True)
        pip = [venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
        offline = ["--no-index", "--no-build-isolation", "--no-deps"]
        subprocess.run([*pip, "wheel", *offline, "-w", self.folder, str(ROOT)], check=True)
        wheel, = self.folder.glob("lode-*.whl")
        subprocess.run([*pip, "install", "--no-index", "--no-deps", wheel], check=True)
        code = "import lode; print(lode.Data([['a', 'b'], ['a']]).count(1))"
        clean = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        said = subprocess.run([venv / "bin" / "python", "-c", code], capture_output=True, text=True,
                              check=True, env=clean, cwd=self.folder).stdout
        self.assertEqual(said.strip(), "3")


if __name__ == "__main__":
    unittest.main()
