//! Common mistakes, and the tools' messages: one file of `tests/mistakes` each. `UPDATE=1` writes the current messages.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tests::conformance::repository;
use tests::scratch;
use tests::worker::onnxc;

/// The line where the expectation begins; the case is before it.
const EXPECTED: &str = "\nexit = ";

/// A mistake: files, including a command line, and a tool's messages.
struct Mistake {
    path: PathBuf,
    text: String,
    table: toml::Table,
}

impl Mistake {
    fn all() -> Vec<Mistake> {
        let folder = repository().join("tests/mistakes").read_dir().expect("there are mistakes");
        let mut paths: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).expect("it is a file");
            let table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Mistake { path, text, table }
        };
        paths.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "toml")).map(read).collect()
    }

    fn text(&self, key: &str) -> &str {
        self.table.get(key).and_then(toml::Value::as_str).unwrap_or_default()
    }

    /// Creates the files and runs the command; returns the exit code and the messages.
    fn run(&self, tools: &Path) -> (i32, String) {
        let name = self.path.file_stem().and_then(|stem| stem.to_str()).expect("a name");
        let folder = scratch::folder(&format!("mistake-{name}"));
        let files = self.table.get("files").and_then(toml::Value::as_table).cloned().unwrap_or_default();
        for (name, contents) in files {
            std::fs::write(folder.join(name), bytes(contents.as_str().expect("a text")))
                .expect("the folder takes files");
        }
        let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
        let output = Command::new("bash")
            .args(["-c", self.text("run")])
            .current_dir(&folder)
            .env("PATH", path)
            .env("XDG_CACHE_HOME", folder.join("cache"))
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .output()
            .expect("there is bash");
        let said = String::from_utf8_lossy(&output.stderr).into_owned() + &String::from_utf8_lossy(&output.stdout);
        let said = said.replace(&*folder.display().to_string(), "FOLDER");
        (output.status.code().unwrap_or(-1), said.lines().map(steady).collect())
    }
}

/// The bytes of a file: a text, zeros as `npy <f4 2,3`, the head of such a file as `head <f4 2,3`, or bytes as `hex 00ff`.
fn bytes(contents: &str) -> Vec<u8> {
    if let Some(digits) = contents.strip_prefix("hex ") {
        let digits: Vec<char> = digits.chars().filter(|c| !c.is_whitespace()).collect();
        let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("two digits");
        return digits.chunks(2).map(byte).collect();
    }
    let array = contents.strip_prefix("npy ").map(|rest| (rest, true));
    let array = array.or_else(|| Some((contents.strip_prefix("head ")?, false)));
    let Some((r#type, shape, has_data)) =
        array.and_then(|(rest, has_data)| rest.split_once(' ').map(|(r#type, shape)| (r#type, shape, has_data)))
    else {
        return contents.as_bytes().to_vec();
    };
    let extents: Vec<usize> = shape.split(',').filter_map(|extent| extent.trim().parse().ok()).collect();
    let width: usize = r#type[2..].parse().expect("a width");
    let length = if has_data { extents.iter().product::<usize>() * width } else { 0 };
    tests::npy::file(r#type, &extents, &vec![0; length])
}

/// A line without the parts that differ between machines.
fn steady(line: &str) -> String {
    let between = |line: &str, from: &str, to: &str| {
        let (before, rest) = line.split_once(from)?;
        let (_, after) = rest.split_once(to)?;
        Some(format!("{before}{from}N{to}{after}"))
    };
    let mut line = line.trim_end().to_string();
    for (from, to) in [("this process may take ", " more"), ("--threads 100000: ", " threads run, one per processor")] {
        line = between(&line, from, to).unwrap_or(line);
    }
    line + "\n"
}

#[test]
fn messages_say_what_is_wrong_and_what_to_do() {
    let tools = onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).parent().expect("a folder");
    let mut problems = Vec::new();
    for mistake in Mistake::all() {
        let (exit, said) = mistake.run(tools);
        let case = mistake.text.split_once(EXPECTED).map_or(mistake.text.trim_end(), |(case, _)| case);
        let whole = format!("{case}{EXPECTED}{exit}\nsaid = '''\n{said}'''\n");
        if whole == mistake.text {
            continue;
        }
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&mistake.path, whole).expect("it can be written");
        } else {
            problems.push(format!("{}: exit {exit}\n{said}", mistake.path.display()));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Messages contain no debug formats, no type names of ours, and no names of temporary files.
#[test]
fn messages_are_for_people() {
    const INSIDE: [&str; 7] = ["Some(", "TargetTriple", "tensor<", "memref", ".onnx-", "panicked", "unwrap"];
    for mistake in Mistake::all() {
        let said = mistake.text("said");
        let found = INSIDE.iter().find(|inside| said.contains(**inside));
        assert_eq!(found, None, "{}: {said}", mistake.path.display());
        assert!(matches!(mistake.table.get("exit").and_then(toml::Value::as_integer), Some(0..=3)));
        assert!(said.starts_with("error: ") || said.starts_with("warning: ") || said.starts_with("note: "), "{said}");
    }
}
