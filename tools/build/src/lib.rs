//! Compiles ONNX models into a crate: the model becomes machine code that is linked statically, and nothing is read or
//! compiled when the program runs.
//!
//! In `build.rs`:
//!
//! ```no_run
//! onnxc_build::Model::new("models/digits.onnx").name("digits").compile();
//! ```
//!
//! In the crate:
//!
//! ```ignore
//! mod digits {
//!     include!(concat!(env!("OUT_DIR"), "/digits/src/digits.rs"));
//! }
//!
//! let [scores] = digits::Session::new().run([digits::Input::new(&pixels, &[1, 28, 28])?])?;
//! println!("{:?}", scores.as_slice::<f32>()?);
//! ```
//!
//! The program `onnxc` compiles: the one in the environment variable `ONNXC`, or else the one on the path.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A model to compile.
pub struct Model {
    path: PathBuf,
    name: String,
    arguments: Vec<String>,
}

impl Model {
    /// The model in a file, whose path is relative to the package's folder. Its name is that of the file.
    pub fn new(path: impl AsRef<Path>) -> Model {
        let path = path.as_ref().to_path_buf();
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Model { path, name, arguments: vec![] }
    }

    /// Its name: the name of the generated module, and the prefix of its symbols. It must be an identifier.
    pub fn name(mut self, name: &str) -> Model {
        self.name = name.to_string();
        self
    }

    /// Fixes a named dimension.
    pub fn dimension(self, name: &str, extent: usize) -> Model {
        self.argument("--dim").argument(&format!("{name}={extent}"))
    }

    /// Adds an argument of `onnxc`, such as `--fixed-fp`.
    pub fn argument(mut self, argument: &str) -> Model {
        self.arguments.push(argument.to_string());
        self
    }

    /// Compiles the model for the crate's target, and links it into the crate. If that fails, the build fails with the
    /// compiler's message.
    pub fn compile(self) {
        if let Err(message) = self.try_compile() {
            println!("cargo::error={}", message.replace('\n', " | "));
        }
    }

    /// [`Model::compile`] for a build script with its own errors.
    ///
    /// # Errors
    /// If this is not a build script, `onnxc` does not start, or it refuses the model.
    pub fn try_compile(self) -> Result<(), String> {
        let variable =
            |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set: this is not a build script"));
        let (out, target, host) = (variable("OUT_DIR")?, variable("TARGET")?, variable("HOST")?);
        println!("cargo::rerun-if-changed={}", self.path.display());
        println!("cargo::rerun-if-env-changed=ONNXC");
        let folder = Path::new(&out).join(&self.name);
        let onnxc = std::env::var_os("ONNXC").filter(|program| !program.is_empty()).unwrap_or_else(|| "onnxc".into());
        let mut command = Command::new(&onnxc);
        command.arg(&self.path).args(["--name", &self.name, "--emit", "package", "-o"]).arg(&folder);
        if target != host {
            command.args(["--target", &target]);
        }
        let done = command.args(&self.arguments).output().map_err(|error| {
            let program = onnxc.to_string_lossy();
            format!("{program} does not start: {error}; install onnxc, or set ONNXC to where it is")
        })?;
        if !done.status.success() {
            return Err(format!("{}: {}", self.path.display(), String::from_utf8_lossy(&done.stderr).trim_end()));
        }
        println!("cargo::rustc-link-search=native={}", folder.join("lib").display());
        println!("cargo::rustc-link-lib=static={}", self.name);
        Ok(())
    }
}
