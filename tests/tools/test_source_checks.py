"""The checks of the sources pass what is right and fail on each kind of breach."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")

FLOAT_KERNELS = """
// f64 allowed: ::sum$: cvt add st: a sum of many terms
template <class T> __global__ void scale(T* p) { p[threadIdx.x] *= T(0.1); }
template __global__ void scale<float>(float*);
template __global__ void scale<double>(double*);
namespace n {
__global__ void sum(float const* p, double* out)
{
    double s = 0.0;
    for (int i = 0; i < 8; ++i)
    {
        s += p[i];
    }
    *out = s;
}
}
"""


def check_tree(script, files):
    """A check of the tree {path: text}, done."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return subprocess.run([ROOT / "tools/checks" / script, folder], text=True,
                              capture_output=True)


class Includes(unittest.TestCase):
    def check(self, files):
        """Exit code and messages."""
        done = check_tree("includes.py", files)
        return done.returncode, done.stderr

    def test_this_tree(self):
        done = subprocess.run([ROOT / "tools/checks/includes.py"], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_right_tree(self):
        code, messages = self.check({
            "kernels/a.hpp": "#include <cmath>\n// std::cout, TESSERA_CUDA\nsnprintf();\n",
            "engine/b.cpp": '#include "kernels/a.hpp"\n#if defined(__CUDACC__)\n#endif\n',
            "io/c.cpp": '#include <hdf5.h>\n#include "engine/b.hpp"\nstd::printf("");\n',
            "tests/d.cpp": '#include "io/c.hpp"\n#include "tests/support/support.hpp"\n'})
        self.assertEqual((code, messages), (0, ""))

    def test_breaches(self):
        for name, text, expected in [
                ("kernels/a.hpp", '#include "engine/b.hpp"\n', "kernels/a.hpp:1: kernels includes"),
                ("io/a.hpp", '\n#include "tools/b.hpp"\n', "io/a.hpp:2: io includes"),
                ("io/a.hpp", '#include "tests/b.hpp"\n', "only tests include tests"),
                ("io/a.hpp", '#include "b.hpp"\n', "not a path from the root"),
                ("engine/a.cpp", "#include <yaml-cpp/yaml.h>\n", "belongs to io alone"),
                ("tools/a.cpp", "#include <hdf5.h>\n", "belongs to io alone"),
                ("engine/a.cpp", "\nstd::cout << 1;\n", "engine/a.cpp:2: engine prints"),
                ("kernels/a.cu", 'printf("x");\n', "kernels prints"),
                ("io/a.cpp", "int a;\n" * 400, "400 lines"),
                ("engine/a.cpp", "#if TESSERA_WITH_CUDA\n#endif\n", "choose sources in CMake"),
                ("tools/a.hpp", "#ifdef TESSERA_CUDA\n#endif\n", "choose sources in CMake"),
                ("kernels/motion/a.hpp", '#include "io/b.hpp"\n', "kernels/motion/a.hpp:1: kernels"),
                ("engine/cpu/deep/a.cpp", "puts(text);\n", "engine/cpu/deep/a.cpp:1: engine"),
                ("engine/attic/a.cpp", "int a;\n", "engine has no room 'attic'"),
                ("kernels/motion/a.hpp", '#include "kernels/force/b.hpp"\n',
                 "kernels/motion/a.hpp:1: room motion includes"),
                ("engine/cpu/a.hpp", '#include "engine/b.hpp"\n', "files beside the rooms"),
        ]:
            with self.subTest(name=name, text=text[:40]):
                code, messages = self.check({name: text})
                self.assertEqual(code, 1)
                self.assertIn(expected, messages)
                self.assertEqual(messages.count("\n"), 1)

    def test_full_rooms(self):
        code, messages = self.check({f"tests/room/{n}.py": "" for n in range(27)} |
                                    {"io/a.cpp": "int a;\n"})
        self.assertEqual(code, 1)
        self.assertIn("tests/room: 27 files; 26 at most", messages)

    def test_drawing(self):
        tree = {"kernels/force/a.hpp": '#include "kernels/motion/b.hpp"\n',
                "kernels/motion/b.hpp": "int b;\n"}
        right = ("kernels/force        -> motion\n"
                 "kernels/motion       -> (nothing)\n")
        self.assertEqual(self.check({**tree, "README.md": "Rooms:\n" + right}), (0, ""))
        code, messages = self.check({**tree, "README.md": right.replace("-> motion", "-> ")})
        self.assertEqual(code, 1)
        self.assertIn("README.md: its drawing of the rooms is not", messages)

    def test_no_sources(self):
        self.assertEqual(self.check({})[0], 1)


def run_in_tree(script, files):
    """Exit code and messages of a script of tools/ in a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ["kernels", "engine", "io", "tools/checks", "tests"]:
            pathlib.Path(folder, name).mkdir(parents=True)
        for name in [".clang-format", "tools/checks/" + script]:
            shutil.copy(ROOT / name, pathlib.Path(folder, name))
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([pathlib.Path(folder, "tools", "checks", script)], text=True,
                              cwd=folder, capture_output=True)
        return done.returncode, done.stdout + done.stderr


@unittest.skipUnless(shutil.which("clang-format"), "no clang-format here")
class Format(unittest.TestCase):
    def test_sources_in_folders_of_folders(self):
        right = {"io/a.cpp": "int a;\n", "kernels/room/b.cu": "int b;\n"}
        self.assertEqual(run_in_tree("format.sh", right), (0, "format: 2 files\n"))
        for name in ["io/room/c.hpp", "kernels/room/c.cu", "kernels/room/deep/c.cuh"]:
            with self.subTest(name=name):
                code, messages = run_in_tree("format.sh", {**right, name: "int   c;\n"})
                self.assertNotEqual(code, 0)
                self.assertIn(name, messages)


class Definitions(unittest.TestCase):
    def check(self, files):
        done = check_tree("definitions.py", files)
        return done.returncode, done.stdout

    def test_this_tree(self):
        done = subprocess.run([ROOT / "tools/checks/definitions.py"], text=True,
                              capture_output=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    @staticmethod
    def source(definition, space="namespace a"):
        return f"{space}\n{{\n\n{definition}\n{{\n}}\n\n}}  // namespace\n"

    def test_names_that_may_be_shared(self):
        code, messages = self.check({
            "engine/a.hpp": self.source("struct Error") + "struct Other;\n",
            "engine/b.hpp": self.source("struct Error", "namespace b") + "struct Other;\n",
            "tools/c.cpp": self.source("struct Error", "namespace"),
            "tools/d.cpp": self.source("struct Error", "namespace")})
        self.assertEqual(code, 0, messages)

    def test_breaches(self):
        for first, second in [("struct Error", "struct Error final : Other"),
                              ("enum class Mode", "class Mode"),
                              ("TESSERA_HD int f(int const* a)", "inline int f(int const* b)")]:
            with self.subTest(second=second):
                code, messages = self.check({"engine/a.hpp": self.source(first),
                                             "tools/b.hpp": self.source(second)})
                self.assertEqual(code, 1, messages)
                self.assertIn("engine/a.hpp:4, tools/b.hpp:4", messages)


@unittest.skipUnless(NVCC, "no nvcc here")
class FloatKernels(unittest.TestCase):
    def check(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "kernel.cu")
            path.write_text(text)
            done = subprocess.run([ROOT / "tools/checks/float_kernels.sh", path], text=True,
                                  capture_output=True)
            return done.returncode, done.stderr

    def test_right_kernels(self):
        self.assertEqual(self.check(FLOAT_KERNELS), (0, ""))

    def test_stray_literal(self):
        code, messages = self.check(FLOAT_KERNELS.replace("T(0.1)", "0.1"))
        self.assertEqual(code, 1)
        self.assertIn("scale<float>: 1 x mul in double", messages)
        self.assertNotIn("scale<double>", messages)

    def test_sources_in_folders_of_folders(self):
        stray = FLOAT_KERNELS.replace("T(0.1)", "0.1")
        code, messages = run_in_tree("float_kernels.sh", {
            "kernels/a.cu": FLOAT_KERNELS, "kernels/room/a.cu": stray})
        self.assertEqual(code, 1)
        self.assertIn("kernels/room/a.cu", messages)
        self.assertIn("2 files", messages)

    def test_opcode_outside_the_exception(self):
        code, messages = self.check(FLOAT_KERNELS.replace("cvt add st", "cvt st"))
        self.assertEqual(code, 1)
        self.assertIn("n::sum: 8 x add in double", messages)

    def test_unused_exception(self):
        code, messages = self.check(FLOAT_KERNELS + "// f64 allowed: gone: add: no more\n")
        self.assertEqual(code, 1)
        self.assertIn("unused exception: f64 allowed: gone", messages)


if __name__ == "__main__":
    unittest.main()
