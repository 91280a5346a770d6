//! The linkers of targets, the runtime's libraries for them, and the list of targets.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use commandline::{Failure, cannot_write, print};

use crate::exception_tables;

/// The triples that are tested. Others of the same processors may do, too.
const TARGETS: [&str; 14] = [
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "x86_64-apple-darwin",
    "x86_64-pc-windows-gnu",
    "aarch64-unknown-linux-gnu",
    "aarch64-unknown-linux-musl",
    "aarch64-linux-android",
    "arm64-apple-ios",
    "armv7-unknown-linux-gnueabihf",
    "riscv64gc-unknown-linux-gnu",
    "riscv32imc-unknown-none-elf",
    "thumbv7em-none-eabihf",
    "thumbv6m-none-eabi",
    "wasm32-unknown-unknown",
];

/// A C compiler that has the C libraries of all targets.
const ZIG: &str = "zig";

/// A target that programs and libraries are linked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Linked<'t> {
    triple: Option<&'t str>,
    is_static: bool,
}

/// The beginning of a linker's command line.
type Linker = Vec<String>;

/// The program that an environment variable names; an empty one names none.
pub(crate) fn program_in(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|program| !program.is_empty())
}

impl<'t> Linked<'t> {
    /// For a triple, or this machine.
    pub(crate) fn of(triple: Option<&'t str>, is_static: bool) -> Result<Linked<'t>, Failure> {
        let own = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let triple = triple.filter(|triple| is_static || *triple != own);
        match triple.filter(|triple| !has_runtime(triple)) {
            None => Ok(Linked { triple, is_static }),
            Some(triple) => Err(Failure::usage(format!(
                "--target {triple}: the runtime, which libraries and programs contain, is for Linux on x86-64 and AArch64; --freestanding makes objects without it"
            ))),
        }
    }

    /// The command of the linker.
    pub(crate) fn command(self) -> Result<Command, Failure> {
        let given = program_in("CC").map(|program| vec![program]);
        let Some(found) = given.or_else(|| self.linkers().into_iter().find(|linker| runs(&linker[0]))) else {
            let target = self.triple.unwrap_or("this machine");
            let packages = self.packages();
            return Err(Failure::input(format!(
                "linking for {target}: no linker was found; install {packages}, or set CC to a C compiler for it"
            )));
        };
        let mut command = Command::new(&found[0]);
        command.args(&found[1..]);
        if self.is_static {
            command.arg("-static");
        }
        Ok(command)
    }

    /// The libraries that the runtime needs, after everything else.
    pub(crate) fn libraries(self, linker: &str) -> Vec<&'static str> {
        let mut libraries = vec!["-lm", "-lpthread", "-ldl", "-Wl,--gc-sections"];
        if self.triple.is_some_and(|triple| triple.ends_with("musl")) {
            // the standard library's unwinder; zig has LLVM's, and GCC its own
            libraries.push(if linker == ZIG { "-lunwind" } else { "-lgcc_eh" });
        }
        libraries
    }

    /// The runtime's library as the linker takes it.
    pub(crate) fn archive(self, linker: &str, runtime: &Path, folder: &Path) -> Result<PathBuf, Failure> {
        // GNU's linker leaves out the tables of functions that it leaves out
        if linker != ZIG {
            return Ok(runtime.to_path_buf());
        }
        let failed = |problem: String| Failure::input(format!("{}: {problem}", runtime.display()));
        let mut bytes = std::fs::read(runtime).map_err(|error| failed(error.to_string()))?;
        exception_tables::mark(&mut bytes).map_err(|error| failed(error.to_string()))?;
        let path = folder.join("libruntime.a");
        std::fs::write(&path, bytes).map_err(|error| cannot_write(&path, &error))?;
        Ok(path)
    }

    /// The C compilers that may be there, the usual one first.
    fn linkers(self) -> Vec<Linker> {
        let Some(triple) = self.triple else { return vec![vec!["cc".into()]] };
        let (processor, library) = parts(triple);
        let gcc = vec![format!("{processor}-linux-{library}-gcc")];
        let zig = [ZIG, "cc", "-target"].map(str::to_string).into_iter();
        let zig = zig.chain([format!("{processor}-linux-{library}")]).collect();
        let own = (processor == std::env::consts::ARCH).then(|| match library {
            "musl" => vec!["musl-gcc".to_string()],
            _ => vec!["cc".to_string()],
        });
        [gcc, zig].into_iter().chain(own).collect()
    }

    fn packages(self) -> String {
        let (processor, library) = parts(self.triple.unwrap_or_default());
        match library {
            "musl" => format!("{ZIG} or Debian's musl-tools"),
            _ if processor == std::env::consts::ARCH => "gcc".to_string(),
            _ => format!("{ZIG} or Debian's gcc-{}-linux-gnu", processor.replace('_', "-")),
        }
    }

    /// The runtime's static library: in the directory of this program, or, for another target, in the folder that has the
    /// target's name, there or where Cargo has it.
    pub(crate) fn runtime(self) -> Result<PathBuf, Failure> {
        const NAME: &str = "libruntime.a";
        let here = std::env::current_exe().unwrap_or_default();
        let folders = here.ancestors().skip(1).take(3);
        let found = match self.triple {
            None => folders.map(|folder| folder.join(NAME)).find(|path| path.is_file()),
            Some(triple) => folders
                .flat_map(|folder| [folder.join(triple), self.of_cargo(folder, triple)])
                .map(|folder| folder.join(NAME))
                .find(|path| path.is_file()),
        };
        found.ok_or_else(|| match self.triple {
            None => Failure::usage(format!("{NAME} was not found in the directory of this program")),
            Some(triple) => Failure::usage(format!(
                "{NAME} for {triple} was not found in the folder '{triple}' next to this program; `cargo build --release -p onnxc-runtime --target {triple}` makes it"
            )),
        })
    }

    /// `target/TRIPLE/PROFILE` for the program's folder `target/PROFILE`.
    fn of_cargo(self, folder: &Path, triple: &str) -> PathBuf {
        let profile = folder.file_name().unwrap_or_default();
        folder.parent().unwrap_or(folder).join(triple).join(profile)
    }
}

/// Whether the runtime is built for a target.
fn has_runtime(triple: &str) -> bool {
    let (processor, library) = parts(triple);
    ["x86_64", "aarch64"].contains(&processor) && triple.contains("linux") && ["gnu", "musl"].contains(&library)
}

/// The processor, and the C library or the format of a triple.
fn parts(triple: &str) -> (&str, &str) {
    (triple.split('-').next().unwrap_or_default(), triple.rsplit('-').next().unwrap_or_default())
}

/// Whether a program is there.
fn runs(program: &str) -> bool {
    let mut run = Command::new(program);
    run.arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Prints the targets, and what can be made for each of them here.
pub(crate) fn print_targets() -> Result<(), Failure> {
    let mut text = format!("{:32}{:16}{:16}programs and libraries\n", "target", "without runtime", "with runtime");
    for triple in TARGETS {
        let (with_runtime, linked) = match Linked::of(Some(triple), false) {
            Err(_) if triple.starts_with("wasm") => ("", "--emit wasm, --emit npm".to_string()),
            Err(_) => ("", String::new()),
            Ok(linked) => ("yes", state(linked)),
        };
        let line = format!("{triple:32}{:16}{with_runtime:16}{linked}", "yes");
        // a String takes all text
        let _ = writeln!(text, "{}", line.trim_end());
    }
    print(&text)
}

/// Whether programs can be linked here, or what is missing.
fn state(linked: Linked<'_>) -> String {
    let linker = linked.linkers().into_iter().find(|linker| runs(&linker[0]));
    match (linker, linked.runtime()) {
        (None, _) => format!("need {}", linked.packages()),
        (Some(_), Err(_)) => "need the runtime's library for it".to_string(),
        (Some(linker), Ok(_)) => format!("linked by {}", linker[0]),
    }
}
