#!/usr/bin/env python3
"""sizes.py ONNXC MODELS: bytes of models on a Cortex-M4 and on x86-64, next to other compilers and runtimes.

On the Cortex-M4: the four models of tests/models/tiny.py, linked by GCC with start-up code alone, whose own bytes are subtracted, so
that functions of the C library count with the model that calls them. Stack is what a run took in QEMU, which also counts instructions.
On x86-64: bytes beyond the model's weights, of files without symbols. What cannot be measured is a dash, with the reason below."""
import argparse
import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

HERE = Path(__file__).parent
BARE = HERE.parent / "bare"
PACKAGES = Path(np.__file__).parent.parent
TINY = {"keywords": 12, "persons": 2, "pictures": 10, "anomalies": 640}
DESKTOP = {"squeezenet_seeded": {"data_0": (1, 3, 224, 224)}, "ppocr_cls": {"x": (1, 3, 48, 192)}}
GCC = "arm-none-eabi-gcc -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffunction-sections -fdata-sections -w".split()
CORTEX = ["--target", "thumbv7em-none-eabihf", "--cpu", "cortex-m4"]
RISCV = ["--target", "riscv32imc-unknown-none-elf"]
# what tests/bare/main.c calls of an object of onnxc, for other code: the place of a call with x and y
ADAPTER = """#include <stdint.h>
int64_t net_initialize(const void *const *none, void *const *nothing) { return 0; }
int64_t net_run(const void *const *inputs, void *const *outputs) {
    const float *x = inputs[0];
    float *y = outputs[0];
    @CALL@
    return 0;
}
"""
failures = []


class Failed(Exception):
    """A tool is missing or failed; the text says which one and why."""


def run(*command, **options):
    """What a command prints."""
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, **options)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Failed(f"{Path(command[0]).name}: {error}") from error
    if done.returncode:
        raise Failed(f"{Path(command[0]).name}: {' '.join(done.stderr.strip().splitlines()[-2:])}"[:300])
    return done.stdout + done.stderr


def measured(what, measure, *arguments):
    """The result of a measurement, or None, with a line for the end of the report."""
    try:
        return measure(*arguments)
    except Failed as failed:
        failures.append(f"{what}: {failed}")


def row(*cells):
    """A row in Markdown; numbers have thousands separators."""
    shown = ["–" if cell is None else f"{cell:,}" if isinstance(cell, int) else cell for cell in cells]
    print("| " + " | ".join(shown) + " |", flush=True)


def head(*cells, texts):
    row(*cells)
    print("|" + "---|" * texts + "---:|" * (len(cells) - texts))


def sections(program):
    """Bytes that a program keeps in flash, and in RAM."""
    lines = [line.split() for line in run("arm-none-eabi-size", "-A", program).splitlines()]
    found = {line[0]: int(line[1]) for line in lines if len(line) == 3 and line[1].isdigit()}
    return found[".text"], found.get(".bss", 0)


def link(folder, runs, parts):
    program, script = folder / f"program{runs}", folder / "arm.ld"
    # those whose arrays are on the stack need more than the tests' programs have
    script.write_text("PROVIDE(net_stack_bytes = 0);\n" + (BARE / "arm.ld").read_text().replace("64K", "1M"))
    harness = [BARE / "main.c", BARE / "arm.c", folder / "adapter.c"]
    linked = ["-nostartfiles", "-T", script, "-Wl,-e,start,--gc-sections,--no-warn-execstack", "-lm", "-o", program]
    run(*GCC, "-O2", f"-DRUNS={runs}", "-I", folder, *harness, *parts, *linked)
    return program


def emulate(program, folder, plugin):
    """What QEMU's Cortex-M4 prints, as numbers, and the instructions that it executed."""
    counted = folder / "instructions"
    counted.unlink(missing_ok=True)
    machine = ["-M", "mps2-an386", "-semihosting", "-display", "none", "-plugin", plugin, "-kernel", program]
    printed = run("qemu-system-arm", *machine, env={**os.environ, "INSTRUCTIONS": str(counted)})
    if "fault" in printed:
        raise Failed("the program ends with a fault")
    return [int(line, 16) for line in printed.split() if line != "stack"], int(counted.read_text())


def bare(folder, adapter, parts, empty):
    """Flash, RAM, stack and instructions of a run, and the outputs."""
    (folder / "adapter.c").write_text(adapter)
    once, twice = link(folder, 1, parts), link(folder, 2, parts)
    flash, ram = (bytes - nothing for bytes, nothing in zip(sections(once), empty))
    words, few = emulate(once, folder, folder.parent / "plugin.so")
    more = emulate(twice, folder, folder.parent / "plugin.so")[1]
    return flash, ram, words[-1], more - few, np.array(words[:-1], np.uint32).view(np.float32)


def stated(onnxc, thing):
    """What `onnxc inspect` prints of an object: code, constants, RAM, stack."""
    said = dict(line.split(": ", 1) for line in run(onnxc, "inspect", thing).splitlines())
    return [int(word) for key in ("flash", "RAM", "stack") for word in said[key].replace(",", "").split() if word.isdigit()][1:]


def ours(options, folder, target):
    thing = folder / "net.o"
    run(options.onnxc, folder / "model.onnx", "--freestanding", *target, "--name", "net", "--quiet", "-o", thing)
    return thing


def in_c(folder, level, generate):
    """The object of a generated source."""
    source = folder / "net.c"
    generate(source)
    run(*GCC, level, "-c", source, "-o", source.with_suffix(".o"))
    return source.with_suffix(".o")


def contenders(options):
    """The compilers: a name, the adapter, and a function from a folder to an object."""
    tool, limits = Path(sys.executable).with_name("emx-onnx-cgen"), ["--large-temp-threshold", 0, "--large-weight-threshold", 0]

    def emx(folder, level):
        model = folder / "model.onnx"
        return in_c(folder, level, lambda source: run(tool, "compile", "--model-name", "net", *limits, model, source))

    def onnx2c(folder, level):
        return in_c(folder, level, lambda source: source.write_text(run(options.onnx2c, folder / "model.onnx")))

    yield "onnxc", "", lambda folder: ours(options, folder, CORTEX)
    for name, function, make in [("emx-onnx-cgen", "net", emx), ("onnx2c", "entry", onnx2c)]:
        for level in ("-Os", "-O2", "-O3"):
            yield f"{name}, {level}", ADAPTER.replace("@CALL@", f"{function}(x, y);"), partial(make, level=level)


def microcontrollers(options):
    folder = options.scratch / "tiny"
    run(sys.executable, HERE.parent / "models/tiny.py", folder)
    run("cc", "-O2", "-shared", "-fPIC", HERE / "instructions.c", "-o", folder / "plugin.so")
    head("Cortex-M4", "compiler", "flash", "RAM", "stack", "instructions", "difference", texts=2)
    for name, outputs in TINY.items():
        place = folder / name
        words = np.load(place / "x.npy").ravel().view(np.uint32)
        (place / "input.h").write_text(f"#define OUTPUT {outputs}\nstatic const uint32_t input[] = {{{','.join(map(str, words))}}};\n")
        (place / "adapter.c").write_text(ADAPTER.replace("@CALL@", ""))
        empty, first = sections(link(place, 1, [])), None
        for compiler, adapter, make in contenders(options):
            found = measured(f"{name}, {compiler}", lambda: bare(place, adapter, [make(place)], empty))
            *numbers, result = found or [None] * 5
            first = result if first is None else first
            row(name, compiler, *numbers, result if result is None else f"{np.abs(result - first).max():.0e}")
    print()
    head("onnxc inspect", "target", "code", "constants", "RAM", "stack, at most", texts=2)
    for name in TINY:
        for label, target in (("Cortex-M4", CORTEX), ("RV32IMC", RISCV)):
            row(name, label, *stated(options.onnxc, ours(options, folder / name, target)))


def weights(model):
    """Bytes of the constants of a model."""
    attributes = (attribute for node in model.graph.node if node.op_type == "Constant" for attribute in node.attribute)
    constants = [attribute.t for attribute in attributes if attribute.name == "value"]
    return sum(numpy_helper.to_array(tensor).nbytes for tensor in [*model.graph.initializer, *constants])


def stripped(path, folder):
    copy = folder / "stripped"
    shutil.copyfile(path, copy)
    run("strip", copy)
    return copy.stat().st_size


def artefact(options, path, folder, shapes, *arguments):
    """Bytes of a program, library or object beyond the weights, and the seconds of its compilation."""
    fixed = [f"--shape={port}={'x'.join(map(str, extents))}" for port, extents in shapes.items()]
    thing, began = folder / "thing", time.monotonic()
    run(options.onnxc, path, *fixed, "--quiet", "-o", thing, *arguments)
    seconds = time.monotonic() - began
    size = sum(stated(options.onnxc, thing)[:2]) if "--freestanding" in arguments else stripped(thing, folder)
    return size - weights(onnx.load(path)), seconds


def iree(path, folder, shapes):
    """Bytes of a module whose weights are in a file of parameters, and the seconds of its compilation."""
    model = onnx.load(path)
    for port in model.graph.input:
        for dim, extent in zip(port.type.tensor_type.shape.dim, shapes.get(port.name, ())):
            dim.dim_value = extent
    for port in model.graph.output:
        port.type.tensor_type.ClearField("shape")
    # the importer takes opset 17 and later
    model = onnx.version_converter.convert_version(model, 17)
    onnx.save(onnx.shape_inference.infer_shapes(model, data_prop=True), folder / "fixed.onnx")
    tools, module = Path(sys.executable).parent, folder / "module.mlir"
    parameters = ["--externalize-params", "--num-elements-threshold", 32, "--save-params-to", folder / "weights.irpa"]
    run(tools / "iree-import-onnx", folder / "fixed.onnx", *parameters, "-o", module)
    device = ["--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu"]
    began = time.monotonic()
    run(tools / "iree-compile", module, *device, "--iree-llvmcpu-target-cpu=x86-64-v3", "-o", folder / "net.vmfb")
    return (folder / "net.vmfb").stat().st_size, time.monotonic() - began


def library(folder, *patterns):
    files = [file for pattern in patterns for file in PACKAGES.glob(pattern)]
    if len(files) != len(patterns):
        raise Failed(f"no {patterns[0]} in the packages")
    return sum(stripped(file, folder) for file in files)


LIBRARIES = {
    "ONNX Runtime": ["onnxruntime/capi/libonnxruntime.so.*"],
    "IREE, the program that runs a module": ["iree/_runtime_libs/iree-run-module"],
    "LiteRT": ["ai_edge_litert/libLiteRt.so"],
    "ExecuTorch, the core": ["executorch/lib/libexecutorch.so"],
    "ExecuTorch, XNNPACK": ["executorch/lib/libexecutorch_backend_xnnpack.so", "executorch/lib/libexecutorch_threadpool.so"],
    "ExecuTorch, its kernels": ["executorch/lib/libexecutorch_kernels_optimized.so"],
    "tract, with its Python module": ["tract/tract.*.so"],
}


def desktop(options):
    folder = options.scratch / "desktop"
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {"program, static": ["--emit", "exe", "--static"], "shared library": ["--emit", "lib"], "without a runtime": ["--freestanding"]}
    levels = {"x86-64-v2 to v4": [], "x86-64-v3": ["--cpu", "x86-64-v3"]}
    head("x86-64, beyond weights", *DESKTOP, *(f"seconds, {name}" for name in DESKTOP), texts=1)

    def models(label, measure):
        found = [measured(f"{name}, {label}", measure, options.models / name / "model.onnx", DESKTOP[name]) for name in DESKTOP]
        row(label, *(one and one[0] for one in found), *(one and f"{one[1]:.1f}" for one in found))

    for kind, emit in kinds.items():
        for level, cpu in levels.items():
            make = lambda path, shapes: artefact(options, path, folder, shapes, *emit, *cpu)
            models(f"onnxc, {kind}, {level}", make)
    models("IREE, the module, x86-64-v3", lambda path, shapes: iree(path, folder, shapes))
    for label, patterns in LIBRARIES.items():
        size = measured(label, library, folder, *patterns)
        row(label, *[size] * len(DESKTOP), *[None] * len(DESKTOP))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("onnxc", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--onnx2c", default="onnx2c", help="the program, which is in no package")
    parser.add_argument("--scratch", type=Path, default=Path("target/sizes"))
    options = parser.parse_args()
    try:
        microcontrollers(options)
    except Failed as failed:
        failures.append(f"Cortex-M4: {failed}")
    print()
    desktop(options)
    print(*failures, sep="\n", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
