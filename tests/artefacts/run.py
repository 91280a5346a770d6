"""Real models as every kind of artefact, in programs in C, C++, Rust and Python: `run.py ONNXC RUNTIME MODELS NAME…`.

Each program reads the inputs of a model's data set and writes the outputs, which are compared with ONNX Runtime's. RUNTIME is
`libruntime.a`. Objects of small models also run under valgrind and AddressSanitizer.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

import numpy as np
from onnx import TensorProto, load, numpy_helper

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1] / "examples"))
from loaded import Model  # noqa: E402

#: those that run under valgrind and AddressSanitizer
CHECKED = ["silero_vad_v6", "minilm_l3"]
#: relative to the largest expected element
TOLERANCE = 1e-3
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
LINKED = ["-Wl,--gc-sections", "-lpthread", "-lm", "-ldl"]
SHARED = ["-Lnet/lib", "-lnet", "-Wl,-rpath,net/lib"]
CPP_TYPES = {"float32": "float", "int64": "std::int64_t", "int32": "std::int32_t"}
RUST_TYPES = {"float32": "f32", "int64": "i64", "int32": "i32"}

CPP = """#include <cstdio>
#include <string>
#include <vector>

#include <net.hpp>

template <class T>
std::vector<T> elements(const char *path, std::size_t count) {
    std::vector<T> found(count);
    std::FILE *file = std::fopen(path, "rb");
    if (file == nullptr || std::fread(found.data(), sizeof(T), count, file) != count) std::exit(2);
    std::fclose(file);
    return found;
}

int main() {
%s
    net::session session;
    for (int round = 0; round < 2; round++) {
        const net::outputs outputs = session.run({%s});
        for (std::size_t at = 0; at < outputs.size(); at++) {
            const net_port *port = net_output(static_cast<std::int64_t>(at));
            std::size_t size = static_cast<std::size_t>(port->element_bytes);
            for (std::int64_t extent : outputs[at].shape()) size *= static_cast<std::size_t>(extent);
            std::FILE *file = std::fopen(("out/" + std::to_string(at)).c_str(), "wb");
            std::fwrite(outputs[at].shape().data(), sizeof(std::int64_t), outputs[at].shape().size(), file);
            std::fwrite(outputs[at].raw().data, 1, size, file);
            std::fclose(file);
        }
    }
}
"""

RUST = """mod net {
    include!("net/src/net.rs");
}

fn elements<const N: usize, T>(path: &str, of: fn([u8; N]) -> T) -> Vec<T> {
    let bytes = std::fs::read(path).unwrap();
    bytes.chunks_exact(N).map(|word| of(word.try_into().unwrap())).collect()
}

fn write<T: Copy>(at: usize, output: &net::Output, elements: &[T], bytes: fn(T) -> Vec<u8>) {
    let mut all: Vec<u8> = output.shape().iter().flat_map(|extent| extent.to_ne_bytes()).collect();
    all.extend(elements.iter().flat_map(|&element| bytes(element)));
    std::fs::write(format!("out/{at}"), all).unwrap();
}

fn main() {
%s
    let mut session = net::Session::new();
    for _ in 0..2 {
        let outputs = session.run([%s]).unwrap();
%s
    }
}
"""


def run(command, folder):
    """Runs a command that must succeed."""
    done = subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def tensors(folder, what):
    """The tensors of a data set in their order."""
    count = len(list(folder.glob(f"{what}_*.pb")))
    messages = (TensorProto.FromString((folder / f"{what}_{index}.pb").read_bytes()) for index in range(count))
    return [numpy_helper.to_array(message) for message in messages]


def cpp_program(inputs):
    """The C++ program for inputs."""
    lines, names = [], []
    for at, array in enumerate(inputs):
        lines.append(f'    const auto x{at} = elements<{CPP_TYPES[array.dtype.name]}>("in/{at}", {array.size});')
        names.append(f"net::input(x{at}, {{{', '.join(map(str, array.shape))}}})")
    return CPP % ("\n".join(lines), ", ".join(names))


def rust_program(inputs, outputs):
    """The Rust program for inputs, and outputs of these types."""
    lines, names, written = [], [], []
    for at, array in enumerate(inputs):
        lines.append(f'    let x{at} = elements("in/{at}", {RUST_TYPES[array.dtype.name]}::from_ne_bytes);')
        names.append(f"net::Input::new(&x{at}, &{list(array.shape)}).unwrap()")
    for at, array in enumerate(outputs):
        kind = RUST_TYPES[array.dtype.name]
        elements = f"outputs[{at}].as_slice::<{kind}>().unwrap()"
        written.append(f"        write({at}, &outputs[{at}], {elements}, |element| element.to_ne_bytes().to_vec());")
    return RUST % ("\n".join(lines), ", ".join(names), "\n".join(written))


def check(what, found, expected):
    """Compares results with ONNX Runtime's."""
    for at, (own, other) in enumerate(zip(found, expected, strict=True)):
        assert own.shape == other.shape, f"{what}: output {at} has the extents {own.shape}, not {other.shape}"
        bound = TOLERANCE * max(1e-6, np.abs(other).max(initial=0))
        error = np.abs(own.astype(np.float64) - other).max(initial=0)
        assert error <= bound, f"{what}: output {at} differs by {error}, {bound} is allowed"
    print(f"  {what}: right", flush=True)


class Case:
    """A model with the files of its programs."""

    def __init__(self, options, name, folder):
        self.options, self.folder = options, folder
        self.model = (options.models / name / "model.onnx").resolve()
        data = options.models / name / "test_data_set_0"
        self.inputs, self.expected = tensors(data, "input"), tensors(data, "output")
        self.names = [port.name for port in load(self.model, load_external_data=False).graph.output]
        (folder / "in").mkdir()
        for at, array in enumerate(self.inputs):
            (folder / "in" / str(at)).write_bytes(array.tobytes())
        shapes = ", ".join("{%s}" % ", ".join(map(str, array.shape or (0,))) for array in self.inputs)
        (folder / "shapes.h").write_text(f"static const int64_t SHAPES[][8] = {{{shapes}}};\n")
        (folder / "main.cpp").write_text(cpp_program(self.inputs))
        (folder / "main.rs").write_text(rust_program(self.inputs, self.expected))

    def emit(self, kind, file):
        """Compiles the model to an artefact."""
        name = [] if kind == "exe" else ["--name", "net"]
        run([self.options.onnxc, self.model, *name, "--emit", kind, "-o", file], self.folder)

    def program(self, what, build):
        """Builds a program, runs it, and checks the outputs that it writes."""
        run(build, self.folder)
        self.outcome(what, ["./program"])

    def outcome(self, what, command):
        """Runs a program and checks the outputs that it writes."""
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        (self.folder / "out").mkdir()
        run(command, self.folder)
        found = []
        for at, expected in enumerate(self.expected):
            data = (self.folder / "out" / str(at)).read_bytes()
            shape = np.frombuffer(data[: 8 * expected.ndim], np.int64)
            found.append(np.frombuffer(data[8 * expected.ndim :], expected.dtype).reshape(shape))
        check(what, found, self.expected)

    def objects(self, checked):
        """The object with the header, linked with the runtime."""
        self.emit("obj", "net.o")
        self.emit("header", "net.h")
        build = ["cc", "-std=c99", *WARNINGS, "-I.", HERE / "main.c", "net.o", self.options.runtime, *LINKED, "-o", "program"]
        self.program("object, C", build)
        if checked:
            self.outcome("object, C, valgrind", ["valgrind", "-q", "--error-exitcode=9", "./program"])
            self.program("object, C, AddressSanitizer", [*build, "-g", "-fsanitize=address,undefined"])
        (self.folder / "net.o").unlink()

    def libraries(self):
        """The libraries with the header, and Python."""
        self.emit("staticlib", "libnet.a")
        compiler = ["cc", "-std=c99", *WARNINGS, "-I.", HERE / "main.c"]
        self.program("static library, C", [*compiler, "libnet.a", *LINKED, "-o", "program"])
        (self.folder / "libnet.a").unlink()
        self.emit("lib", "libnet.so")
        self.program("shared library, C", [*compiler, "-L.", "-lnet", "-Wl,-rpath,.", "-o", "program"])
        model = Model(str(self.folder / "libnet.so"), "net")
        check("shared library, Python", model.run(self.inputs), self.expected)
        model.close()
        (self.folder / "libnet.so").unlink()

    def package(self):
        """The package in C++, by pkg-config and CMake, and in Rust."""
        self.emit("package", "net")
        cpp = ["c++", "-std=c++17", *WARNINGS, "main.cpp", "-Inet/include", "-o", "program"]
        self.program("package, C++, shared", [*cpp, *SHARED])
        environment = os.environ | {"PKG_CONFIG_PATH": str(self.folder / "net/lib/pkgconfig")}
        query = ["pkg-config", "--cflags", "--libs", "--static", "net"]
        flags = subprocess.check_output(query, text=True, env=environment).split()
        self.program("package, C++, pkg-config, static", [*cpp, *flags, "-static"])
        (self.folder / "CMakeLists.txt").write_bytes((HERE.parents[1] / "examples/package/CMakeLists.txt").read_bytes())
        cmake = pathlib.Path(sys.executable).with_name("cmake")
        run([cmake, "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.folder / 'net'}"], self.folder)
        run([cmake, "--build", "build"], self.folder)
        for kind in ("static", "shared"):
            self.outcome(f"package, C++, CMake, {kind}", [f"build/{kind}"])
        rust = ["rustc", "--edition", "2024", "-A", "dead_code", "main.rs", "-o", "program", "-L", "net/lib"]
        self.program("package, Rust", [*rust, "-l", "dylib=net", "-C", "link-arg=-Wl,-rpath,net/lib"])
        shutil.rmtree(self.folder / "net")
        shutil.rmtree(self.folder / "build")

    def executable(self):
        """The program for files of NumPy."""
        self.emit("exe", "program")
        files = []
        for at, array in enumerate(self.inputs):
            np.save(self.folder / f"{at}.npy", array)
            files.append(f"{at}.npy")
        run(["./program", *files, "-o", "results"], self.folder)
        # slashes in names are encoded as in URLs
        paths = [self.folder / "results" / f"{urllib.parse.quote(name, safe='. :+~')}.npy" for name in self.names]
        check("program", [np.load(path) for path in paths], self.expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("onnxc", type=pathlib.Path)
    parser.add_argument("runtime", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    options.onnxc, options.runtime = options.onnxc.resolve(), options.runtime.resolve()
    for name in options.names:
        print(name, flush=True)
        with tempfile.TemporaryDirectory() as folder:
            case = Case(options, name, pathlib.Path(folder))
            case.objects(name in CHECKED)
            case.libraries()
            case.package()
            case.executable()


if __name__ == "__main__":
    main()
