//! Tables that the program scores.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{ParquetReadOptions, SessionContext};
use tempfile::TempDir;

const SUM: &str =
    "g (float[N, 2] x) => (float[N, 1] y, float[N, 2] z) <float[2, 1] w = {1, 10}> { y = MatMul(x, w)  z = Neg(x) }";
const LOOKUP: &str = "g (int64[N] x) => (float[N] y) <float[3] w = {1, 2, 3}> { y = Gather(w, x) }";

/// A folder with a model, `model.onnxtxt`.
fn folder(model: &str) -> TempDir {
    let folder = TempDir::new().expect("there is space");
    let text = format!("<ir_version: 10, opset_import: [\"\": 21]>\n{model}");
    std::fs::write(folder.path().join("model.onnxtxt"), text).expect("the folder takes files");
    folder
}

fn write(folder: &TempDir, name: &str, header: &str, rows: impl Iterator<Item = String>) {
    let lines: Vec<String> = [header.to_string()].into_iter().chain(rows).collect();
    std::fs::write(folder.path().join(name), lines.join("\n")).expect("the folder takes files");
}

fn run(folder: &TempDir, table: &str, options: &[&str], save: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_onnxc-table");
    let arguments = ["model.onnxtxt", "--table", table, "--save", save];
    let output = Command::new(program).args(arguments).args(options).current_dir(folder.path()).output();
    output.expect("the program starts")
}

/// Runs the program, which writes a table.
fn scored(folder: &TempDir, table: &str, options: &[&str], save: &str) -> PathBuf {
    let output = run(folder, table, options, save);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder.path().join(save)
}

/// Runs the program, which fails with a message and leaves no file.
fn refused(folder: &TempDir, table: &str, options: &[&str], message: &str) {
    let files = || std::fs::read_dir(folder.path()).expect("it is there").count();
    let before = files();
    let output = run(folder, table, options, "refused.parquet");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains(message), "{message}: {error}");
    assert_eq!(files(), before, "{message}");
}

/// The number that a query of the table `t` returns, which is in a file.
async fn ask(path: &Path, query: &str) -> String {
    let context = SessionContext::new();
    let name = path.to_string_lossy();
    context.register_parquet("t", name, ParquetReadOptions::default()).await.expect("it is a table");
    let batches = context.sql(query).await.expect("the query is valid").collect().await.expect("it runs");
    let text = pretty_format_batches(&batches).expect("it has columns").to_string();
    text.lines().nth(3).unwrap_or_default().trim_matches(['|', ' ']).to_string()
}

#[tokio::test]
async fn rows_keep_their_order() {
    let folder = folder(SUM);
    write(&folder, "t.csv", "b,a", (0..100_000).map(|row| format!("{},{row}", row % 7)));
    let path = scored(&folder, "t.csv", &["--columns", "a,b", "--threads", "4"], "scored.parquet");
    assert_eq!(ask(&path, "SELECT count(*) FROM t WHERE prediction = a + 10 * b").await, "100000");
    let steps = "SELECT count(*) FROM (SELECT a, lag(a) OVER () AS before FROM t) WHERE a = before + 1";
    assert_eq!(ask(&path, steps).await, "99999");
    // what it writes is a table that it reads
    let options = ["--columns", "b,a", "--output", "z", "--as", "z"];
    let path = scored(&folder, "scored.parquet", &options, "again.parquet");
    let both = "SELECT count(*) FROM t WHERE prediction = a + 10 * b AND z[1] = -b AND z[2] = -a";
    assert_eq!(ask(&path, both).await, "100000");
}

#[tokio::test]
async fn files_of_a_folder_are_one_table() {
    let folder = folder(SUM);
    std::fs::create_dir(folder.path().join("t")).expect("the folder takes folders");
    for file in 0..3 {
        write(&folder, &format!("t/{file}.csv"), "a,b", (0..10).map(|row| format!("{row},{file}")));
    }
    let path = scored(&folder, "t", &["--columns", "a,b"], "scored.parquet");
    assert_eq!(ask(&path, "SELECT sum(prediction) FROM t").await, "435.0");
    write(&folder, "t/3.csv", "a,c", std::iter::once("1,2".to_string()));
    refused(&folder, "t", &["--columns", "a,b"], "3.csv: No field named b");
    write(&folder, "t/3.csv", "a,b,c", std::iter::once("1,2,3".to_string()));
    refused(&folder, "t", &["--columns", "a,b"], "3.csv: the columns differ from those of the first file");
}

#[tokio::test]
async fn errors_have_positions() {
    let folder = folder(LOOKUP);
    write(&folder, "t.csv", "a,b", (0..20_000).map(|row| if row == 15_000 { "3,".into() } else { "2,1".into() }));
    refused(&folder, "t.csv", &["--columns", "a"], "t.csv: row 15000: model.onnxtxt: a = 3: ");
    refused(&folder, "t.csv", &["--columns", "b"], "t.csv: row 15000: column 'b' is null; --fill replaces nulls");
    refused(&folder, "t.csv", &["--columns", "c"], "t.csv: No field named c");
    refused(&folder, "t.csv", &["--columns", "b", "--as", "a"], "t.csv: the table has a column 'a'");
    refused(&folder, "none.csv", &["--columns", "b"], "none.csv: cannot be read");
    let path = scored(&folder, "t.csv", &["--columns", "b", "--fill", "0"], "scored.parquet");
    assert_eq!(ask(&path, "SELECT sum(prediction) FROM t").await, "39999.0");
}

#[tokio::test]
async fn a_damaged_file_is_named() {
    let folder = folder(SUM);
    write(&folder, "t.csv", "a,b", (0..100_000).map(|row| format!("{row},{}", row * 7 % 1001)));
    let path = scored(&folder, "t.csv", &["--columns", "a,b"], "scored.parquet");
    let mut bytes = std::fs::read(&path).expect("it is there");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0xff);
    std::fs::write(folder.path().join("damaged.parquet"), bytes).expect("the folder takes files");
    refused(&folder, "damaged.parquet", &["--columns", "a,b", "--as", "again"], "damaged.parquet: after row ");
    std::fs::write(folder.path().join("empty.parquet"), "").expect("the folder takes files");
    refused(&folder, "empty.parquet", &["--columns", "a,b"], "empty.parquet: ");
}
