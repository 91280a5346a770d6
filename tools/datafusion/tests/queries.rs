//! Queries with models.

use std::path::{Path, PathBuf};

use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::SessionContext;
use onnxc_datafusion::RowError;

/// A context with `predict`, and a model in a file.
fn context(name: &str, model: &str) -> (SessionContext, PathBuf) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let path = folder.join(name).with_extension("onnxtxt");
    let text = format!("<ir_version: 10, opset_import: [\"\": 21]>\n{model}");
    std::fs::write(&path, text).expect("the folder takes files");
    let context = SessionContext::new();
    context.register_udf(onnxc_datafusion::predict());
    (context, path)
}

/// The rows of a query in which `MODEL` is the path, or the error.
async fn ask(context: &SessionContext, path: &Path, query: &str) -> Result<String, String> {
    let query = query.replace("MODEL", &path.display().to_string());
    let frame = context.sql(&query).await.map_err(|error| error.to_string())?;
    let batches = frame.collect().await.map_err(|error| error.to_string())?;
    let table = pretty_format_batches(&batches).map_err(|error| error.to_string())?.to_string();
    let cells = table.lines().skip(3).filter(|line| line.starts_with('|'));
    let row = |line: &str| line.split('|').map(str::trim).collect::<Vec<_>>().join(" ").trim().to_string();
    Ok(cells.map(row).collect::<Vec<_>>().join("; "))
}

const SUM: &str = "g (float[N, 3] x) => (float[N, 1] y, float[N, 3] z) <float[3, 1] w = {1, 10, 100}> { y = MatMul(x, w)  z = Neg(x) }";
const LOOKUP: &str = "g (int64[N] x) => (float[N] y) <float[3] w = {1, 2, 3}> { y = Gather(w, x) }";

#[tokio::test]
async fn columns_become_the_second_axis() {
    let (context, path) = context("sum", SUM);
    let rows = "(VALUES (1, 2.5, CAST(3 AS BIGINT)), (4, 5.0, 6)) t(a, b, c)";
    let numbers = ask(&context, &path, &format!("SELECT predict('MODEL', a, b, c) FROM {rows}")).await;
    assert_eq!(numbers.as_deref(), Ok("326.0; 654.0"));
    let lists = ask(&context, &path, &format!("SELECT predict('MODEL#z', a, b, c) FROM {rows}")).await;
    assert_eq!(lists.as_deref(), Ok("[-1.0, -2.5, -3.0]; [-4.0, -5.0, -6.0]"));
    for list in ["List(Float64)", "LargeList(Float64)", "FixedSizeList(3, Float64)"] {
        let listed = format!("SELECT predict('MODEL', arrow_cast(make_array(a, b, c), '{list}')) FROM {rows}");
        assert_eq!(ask(&context, &path, &listed).await, numbers, "{list}");
    }
}

#[tokio::test]
async fn strings_and_booleans_are_columns() {
    let model =
        "g (string[N] a, string[N] b, bool[N] c) => (string[N] y, bool[N] z) { y = StringConcat(a, b)  z = Not(c) }";
    let (context, path) = context("strings", model);
    let rows = "(VALUES ('a', 'x', true), ('b', 'y', false)) t(a, b, c)";
    let query = format!("SELECT predict('MODEL', a, b, c), predict('MODEL#z', a, b, c) FROM {rows}");
    assert_eq!(ask(&context, &path, &query).await.as_deref(), Ok("ax false; by true"));
}

#[tokio::test]
async fn dictionaries_and_slices_are_decoded() {
    let (context, path) = context("decoded", SUM);
    let rows = "(SELECT arrow_cast(value % 4, 'Dictionary(Int32, Int64)') a FROM generate_series(1, 20000))";
    let query = format!("SELECT sum(predict('MODEL', a, a, a)) FROM {rows}");
    assert_eq!(ask(&context, &path, &query).await.as_deref(), Ok("3330000.0"));
    let slice = "SELECT predict('MODEL', v, v, v) FROM (SELECT value v FROM generate_series(0, 9) LIMIT 2 OFFSET 7)";
    assert_eq!(ask(&context, &path, slice).await.as_deref(), Ok("777.0; 888.0"));
    let none = "SELECT predict('MODEL', v, v, v) FROM (SELECT value v FROM generate_series(0, 9)) WHERE v > 9";
    assert_eq!(ask(&context, &path, none).await.as_deref(), Ok(""));
}

#[tokio::test]
async fn many_rows_are_scored_in_partitions() {
    let (context, path) = context("many", SUM);
    let query =
        "SELECT count(*), sum(predict('MODEL', value % 7, value % 5, value % 3)) FROM generate_series(1, 1000000)";
    let expected: i64 = (1..=1_000_000i64).map(|value| value % 7 + 10 * (value % 5) + 100 * (value % 3)).sum();
    assert_eq!(ask(&context, &path, query).await, Ok(format!("1000000 {expected}.0")));
}

#[tokio::test]
async fn what_a_model_does_not_take_is_refused() {
    let (context, path) = context("refused", SUM);
    for (query, message) in [
        ("SELECT predict('MODEL', 1, 2)", "the model takes 3 columns, not 2"),
        ("SELECT predict('MODEL#w', 1, 2, 3)", "the outputs of the model are y, z"),
        (
            "SELECT predict('MODEL', a, 2, 3) FROM (VALUES (1), (NULL)) t(a)",
            "row 1 of the batch: column 'column1' is null; coalesce replaces nulls",
        ),
        (
            "SELECT predict('MODEL', a, 2, 3) FROM (VALUES ('1'), ('2'), ('three')) t(a)",
            "row 2 of the batch: column 'column1' is three, which is not Float32, the type of input 'x'",
        ),
        (
            "SELECT predict('MODEL', make_array(d, 2, 3), 2, 3) FROM (VALUES (1)) t(d)",
            "the model takes 1 columns, not 3",
        ),
        (
            "SELECT predict('MODEL', a) FROM (VALUES (make_array(1, 2, 3)), (make_array(1, 2))) t(a)",
            "row 1 of the batch: column 'column1' has lists of different lengths, 3 elements in the first row",
        ),
        ("SELECT predict('MODEL', a, 2, 3) FROM (VALUES (INTERVAL '1' DAY)) t(a)", "input 'x' takes Float32"),
        ("SELECT predict(a, 2, 3, 4) FROM (VALUES ('m')) t(a)", "the first argument must be a constant string"),
        ("SELECT predict('none.onnx', 1)", "none.onnx"),
    ] {
        let error = ask(&context, &path, query).await.expect_err(query);
        assert!(error.contains(message), "{query}: {error}");
    }
    let replaced = "SELECT predict('MODEL', coalesce(a, 0), 2, 3) FROM (VALUES (1), (NULL)) t(a)";
    assert_eq!(ask(&context, &path, replaced).await.as_deref(), Ok("321.0; 320.0"));
}

#[tokio::test]
async fn the_row_that_a_model_refuses_is_named() {
    let (context, path) = context("lookup", LOOKUP);
    let values = "CASE value WHEN 4321 THEN 77 ELSE value % 3 END AS x FROM generate_series(0, 4999)";
    let query = format!("SELECT predict('{}', x) FROM (SELECT {values})", path.display());
    let frame = context.sql(&query).await.expect("the query is valid");
    let error = frame.collect().await.expect_err("an index is out of bounds");
    let row = RowError::of(&error).expect("it is an error of a row");
    assert!(row.message.contains(" = 77: "), "{row}");
    assert_eq!(row.row, 4321);
}
