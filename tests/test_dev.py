"""Tests of ./dev: its table of components, and what is set up and tested of them.

SPDX-License-Identifier: Apache-2.0
"""
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# No step is taken, only named; a second component stands in for all others.
STAND_INS = """
setup() { echo "setup $*"; }
tier() { echo "tier $1"; }
summary() { echo summary; }
missing_packages() { [[ " $* " != *" loom "* ]] || echo loom-dev; }
components=("${components[0]}" 'web|loom|a stand-in')
test_web() { echo "web ${1:-all}"; }
"""


def bash(script):
    """Runs a script behind ./dev; returns the exit status and what it printed on both channels."""
    done = subprocess.run(["bash", "-c", f"source ./dev\n{script}"], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout


class Components(unittest.TestCase):
    def test_every_row_is_whole(self):
        code, names = bash("component_names")
        self.assertEqual(code, 0)
        self.assertEqual(names.split()[0], "core")
        for name in names.split():
            code, out = bash(f"declare -F test_{name} && missing_packages $(component_needs {name})")
            self.assertEqual(code, 0, out)
            self.assertIn(f"\n  {name} ", bash("usage")[1])

    def test_an_unknown_component_or_need(self):
        code, out = bash("cmd_setup core turbo")
        self.assertEqual(code, 1)
        self.assertRegex(out, "there is no component 'turbo'.*\n  core +the library")
        code, out = bash("missing_packages turbo")
        self.assertEqual(code, 1)
        self.assertIn("'turbo'", out)

    def test_setup(self):
        core = bash("component_needs core")[1].split()
        for words, needs in (("", core), ("core", core), ("web", ["loom"]),
                             ("all", [*core, "loom"]), ("core web", [*core, "loom"])):
            code, out = bash(f"{STAND_INS}\ncmd_setup {words}")
            self.assertEqual((code, out.split()), (0, ["setup", *needs]), words)

    def test_tests_are_those_of_what_is_set_up(self):
        core = "tier test\n"
        code, out = bash(f"{STAND_INS}\ncmd_test")
        self.assertEqual(code, 0)
        self.assertIn(f"{core}== web: not set up, left out; ./dev setup web\nsummary\n", out)
        self.assertNotIn("loom", out)  # nothing but the core is installed
        there = "missing_packages() { :; }\n"
        code, out = bash(f"{STAND_INS}\n{there}\ncmd_test")
        self.assertEqual(code, 0)
        self.assertIn(f"{core}web all\nsummary\n", out)
        code, out = bash(f"{STAND_INS}\n{there}\ncmd_test --long tables")
        self.assertIn("tier test\nweb tables\nsummary\n", out)

    def test_a_release_needs_its_version_and_section(self):
        header = (ROOT / "include/lode/status.h").read_text()
        version = re.search(r'LODE_VERSION_TEXT +"(.*)"', header)[1]
        self.assertIn(f"## {version}", (ROOT / "CHANGELOG.md").read_text())
        code, out = bash("cmd_release")
        self.assertEqual((code, out), (1, "dev: release: expected the VERSION to release\n"))
        code, out = bash("cmd_release 9.9.9")
        self.assertEqual(code, 1)
        self.assertIn(f"has version {version}, not 9.9.9", out)
        code, out = bash("git() { [[ $1 != status ]] || echo ' M dev'; }\n"
                         f"cmd_release {version}")
        self.assertEqual((code, out), (1, "dev: release: commit or stash your changes first\n"))

    def test_a_release(self):
        """What ./dev makes of the steps, which are stand-ins here: archives, packages, checksums."""
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        files = {
            "include/lode/status.h": '#define LODE_VERSION_TEXT "1.2.3"\n',
            "CHANGELOG.md": "## 1.2.3\n", "CITATION.cff": "version: 1.2.3\n",
            ".gitignore": "build\n",
            "dev": "#!/bin/sh\ncd \"$(dirname \"$0\")\"\nmkdir -p build/test\nprintf '#!/bin/sh\\necho lode 1.2.3\\n' "
                   ">build/test/lode\nchmod +x build/test/lode\n",
            "tests/test_packages.py": "import os\nos.environ['LODE_LONG']\n"
                                      "os.makedirs('build/package')\n"
                                      "for name in 'lode-1.2.3-linux', 'liblode_1.2.3.deb':\n"
                                      "    open(f'build/package/{name}', 'w').write('x')\n",
        }
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        os.chmod(folder / "dev", 0o755)
        shutil.copy(ROOT / "dev", folder / "real")
        git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b"]
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
            subprocess.run([*git, *words], check=True)
        done = subprocess.run(["bash", "-c", "source ./real\nsetup() { :; }\n"
                               "cmd_release 1.2.3"], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        out = folder / "build/release/1.2.3"
        made = ["liblode_1.2.3.deb", "lode-1.2.3-linux", "lode-1.2.3-source.tar.gz"]
        self.assertEqual(sorted(path.name for path in out.iterdir()), ["SHA256SUMS", *made])
        said = subprocess.run(["sha256sum", "-c", "SHA256SUMS"], cwd=out, capture_output=True,
                              text=True, check=True).stdout
        self.assertEqual(said, "".join(f"{name}: OK\n" for name in made))

    def test_packages_of_an_unknown_kind(self):
        code, out = bash("cmd_package rpm")
        self.assertEqual(code, 1)
        self.assertRegex(out, "expected static dynamic wheel static-aarch64 deb container or .*, not rpm")

    def test_ci_sets_up_and_tests_all(self):
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        (folder / ".ci").mkdir()
        shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
        (folder / "dev").write_text("#!/bin/sh\necho \"$@\"\n")
        os.chmod(folder / "dev", 0o755)
        done = subprocess.run(["bash", folder / ".ci/run"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (0, "setup all\ntest\nsanitize\n"))
        for broken in ("test", "sanitize"):  # the other one runs in any case
            (folder / "dev").write_text(f"#!/bin/sh\necho \"$@\"\n[ \"$1\" != {broken} ]\n")
            done = subprocess.run(["bash", folder / ".ci/run"], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (1, "setup all\ntest\nsanitize\n"))


if __name__ == "__main__":
    unittest.main()
