//! Adds the output of an ONNX model to the rows of a table, in their order and in constant memory.
//!
//! One task reads batches, all cores score them, and the main task writes them. The result has a temporary name until it is complete.

mod files;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Parser;
use commandline::{Drafts, Failure, cannot_write};
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::common::{Column, Result, plan_err};
use datafusion::logical_expr::{Expr, lit, when};
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::parquet::basic::Compression;
use datafusion::parquet::file::properties::WriterProperties;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::prelude::{DataFrame, SessionContext};
use files::Source;
use futures::StreamExt;
use indicatif::{ProgressBar, ProgressStyle};
use onnxc_datafusion::predict;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

/// Adds a column with the output of an ONNX model to a table of Parquet or CSV files.
#[derive(Parser)]
#[command(name = "onnxc-table", version)]
struct Options {
    /// The model
    model: PathBuf,
    /// A file, or a folder of files that are read in the order of their names; `.csv` files are CSV, others are Parquet
    #[arg(long, value_name = "FILE")]
    table: PathBuf,
    /// The columns that the model reads, in the order of its inputs
    #[arg(long, value_delimiter = ',', required = true, value_name = "A,B,…")]
    columns: Vec<String>,
    /// The output of the model; by default its first
    #[arg(long, value_name = "NAME")]
    output: Option<String>,
    /// The name of the new column
    #[arg(long = "as", default_value = "prediction", value_name = "NAME")]
    name: String,
    /// Replaces nulls in the columns that the model reads
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    fill: Option<f64>,
    /// Threads; by default one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// The Parquet file to write
    #[arg(long, value_name = "FILE")]
    save: PathBuf,
}

/// A batch that is being scored.
type Scored = JoinHandle<Result<RecordBatch>>;

/// How batches of a file are scored.
#[derive(Clone)]
struct Scoring {
    prediction: Arc<dyn PhysicalExpr>,
    schema: SchemaRef,
}

impl Options {
    /// The call of `predict`.
    fn call(&self) -> Result<Expr> {
        let model = self.model.display();
        let path = self.output.as_ref().map_or(model.to_string(), |output| format!("{model}#{output}"));
        let column = |name: &String| {
            let column = Expr::Column(Column::from_name(name));
            match self.fill {
                Some(value) => when(column.clone().is_not_null(), column).otherwise(lit(value)),
                None => Ok(column),
            }
        };
        let columns = self.columns.iter().map(column);
        Ok(predict().call([Ok(lit(path))].into_iter().chain(columns).collect::<Result<Vec<_>>>()?))
    }
}

impl Scoring {
    fn plan(context: &SessionContext, frame: &DataFrame, call: &Expr, name: &str) -> Result<Scoring> {
        if frame.schema().has_column_with_unqualified_name(name) {
            return plan_err!("the table has a column '{name}'; --as gives the new column another name");
        }
        let prediction = context.create_physical_expr(call.clone(), frame.schema())?;
        let field = prediction.return_field(frame.schema().as_arrow())?.as_ref().clone().with_name(name);
        let fields = frame.schema().fields().iter().cloned().chain([Arc::new(field)]);
        Ok(Scoring { schema: Arc::new(Schema::new(fields.collect::<Vec<_>>())), prediction })
    }

    fn score(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let prediction = self.prediction.evaluate(batch)?.into_array(batch.num_rows())?;
        let columns = batch.columns().iter().cloned().chain([prediction]);
        Ok(RecordBatch::try_new(self.schema.clone(), columns.collect())?)
    }
}

/// Reads a frame, and sends its batches in order while they are scored.
async fn read(frame: DataFrame, scoring: Scoring, batches: Sender<Scored>) -> Result<()> {
    let mut stream = frame.execute_stream().await?;
    while let Some(batch) = stream.next().await {
        let (batch, scoring) = (batch?, scoring.clone());
        let scored = tokio::spawn(async move { scoring.score(&batch) });
        if batches.send(scored).await.is_err() {
            break; // the file cannot be written, which is the error that is reported
        }
    }
    Ok(())
}

/// Writes the batches of a source.
async fn write(source: &mut Source, mut batches: Receiver<Scored>, output: &mut Output) -> Result<(), Failure> {
    while let Some(batch) = batches.recv().await {
        let batch = batch.await.map_err(|error| source.failure(&error))?;
        let batch = batch.map_err(|error| source.query_failure(&error))?;
        output.writer.write(&batch).map_err(|error| cannot_write(&output.path, &error))?;
        source.rows += batch.num_rows();
        output.bar.inc(batch.num_rows() as u64);
    }
    Ok(())
}

/// The file that is written.
struct Output {
    path: PathBuf,
    schema: SchemaRef,
    writer: ArrowWriter<File>,
    bar: ProgressBar,
}

impl Output {
    fn create(draft: &Path, options: &Options, schema: SchemaRef) -> Result<Output, Failure> {
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let path = options.save.clone();
        let file = File::create(draft).map_err(|error| cannot_write(&path, &error))?;
        let writer = ArrowWriter::try_new(file, schema.clone(), Some(properties));
        let writer = writer.map_err(|error| cannot_write(&path, &error))?;
        // without a terminal, nothing is shown
        let style = ProgressStyle::with_template("{human_pos} rows, {per_sec}, {elapsed}");
        let bar = ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Ok(Output { path, schema, writer, bar })
    }

    fn finish(self) -> Result<(), Failure> {
        self.bar.finish_and_clear();
        let file = self.writer.into_inner().map_err(|error| cannot_write(&self.path, &error))?;
        file.sync_all().map_err(|error| cannot_write(&self.path, &error))
    }
}

/// Scores all files, and returns the number of rows.
async fn score(options: &Options, threads: usize, draft: &Path) -> Result<usize, Failure> {
    let context = files::context();
    let call = options.call().map_err(|error| Failure::usage(error.message()))?;
    let (mut output, mut rows) = (None::<Output>, 0);
    for mut source in files::sources(&options.table)? {
        let frame = source.frame(&context).await.map_err(|error| source.failure(&error.message()))?;
        let scoring = Scoring::plan(&context, &frame, &call, &options.name);
        let scoring = scoring.map_err(|error| source.failure(&error.message()))?;
        let mut current = match output.take() {
            None => Output::create(draft, options, scoring.schema.clone())?,
            Some(output) if output.schema == scoring.schema => output,
            Some(_) => return Err(source.failure(&"the columns differ from those of the first file")),
        };
        let (send, batches) = channel(2 * threads);
        let reader = tokio::spawn(read(frame, scoring, send));
        write(&mut source, batches, &mut current).await?;
        let read = reader.await.map_err(|error| source.failure(&error))?;
        read.map_err(|error| source.query_failure(&error))?;
        rows += source.rows;
        output = Some(current);
    }
    output.map_or(Ok(()), Output::finish)?;
    Ok(rows)
}

fn run(options: &Options) -> Result<(), Failure> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = options.threads.map_or(threads, usize::from);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
    let runtime = runtime.map_err(|error| Failure::input(format!("threads cannot be created: {error}")))?;
    let start = std::time::Instant::now();
    let draft = Drafts::watch().file(&options.save)?;
    let rows = runtime.block_on(score(options, threads, draft.path()))?;
    draft.finish()?;
    let seconds = start.elapsed().as_secs_f64();
    commandline::print(&format!("{}: {rows} rows, {seconds:.3} s\n", options.save.display()))
}

fn main() {
    let options = Options::parse();
    std::process::exit(commandline::guard(|| run(&options)));
}
