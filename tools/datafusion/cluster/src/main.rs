//! Ballista with the function `predict`: `onnxc-ballista scheduler`, `onnxc-ballista executor`, and queries by `onnxc-ballista query`.
//!
//! All processes read models and tables by the same paths. The scheduler's timeouts are short, for tests of lost executors.

mod reference;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ballista::prelude::{SessionConfigExt, SessionContextExt};
use ballista_core::registry::BallistaFunctionRegistry;
use ballista_core::utils::default_session_builder;
use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::{SchedulerConfig, TaskDistributionPolicy};
use ballista_scheduler::scheduler_process::start_server;
use clap::{Args, Parser};
use commandline::{Drafts, Failure};
use datafusion::common::{DataFusionError, Result};
use datafusion::execution::{FunctionRegistry, SessionState, SessionStateBuilder};
use datafusion::logical_expr::ScalarUDF;
use datafusion::parquet::arrow::ArrowWriter;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use futures::StreamExt;

/// Ballista with ONNX models as the function `predict`.
#[derive(Parser)]
#[command(name = "onnxc-ballista", version)]
enum Command {
    /// Distributes queries
    Scheduler {
        #[arg(long, default_value_t = 50050)]
        port: u16,
        /// Executors are lost after this time without a heartbeat
        #[arg(long, default_value_t = 10, value_name = "SECONDS")]
        timeout: u64,
        /// `/readyz` succeeds when this number of executors are there
        #[arg(long, default_value_t = 1, value_name = "N")]
        executors: usize,
    },
    /// Runs tasks
    Executor(Executor),
    /// Writes the result of a query to a Parquet file, with the rows in any order
    Query(Query),
}

#[derive(Args)]
struct Executor {
    /// The port of the scheduler on this machine
    #[arg(long, default_value_t = 50050)]
    scheduler: u16,
    /// Two ports: this one and the next
    #[arg(long, default_value_t = 50051)]
    port: u16,
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// The folder for intermediate results
    #[arg(long)]
    folder: PathBuf,
}

#[derive(Args)]
struct Query {
    /// SQL; `t` is the table
    sql: String,
    #[arg(long, value_name = "FILE")]
    table: PathBuf,
    /// The port of the scheduler on this machine
    #[arg(long, default_value_t = 50050)]
    scheduler: u16,
    /// The number of partitions, each of which is a task
    #[arg(long, default_value_t = 16)]
    partitions: usize,
    #[arg(long, value_name = "FILE")]
    save: PathBuf,
}

/// The functions that Ballista does not have.
fn functions() -> Vec<Arc<ScalarUDF>> {
    vec![Arc::new(onnxc_datafusion::predict()), Arc::new(reference::predict_onnxruntime())]
}

/// A state of the scheduler with the functions.
fn session_state(config: SessionConfig) -> Result<SessionState> {
    let mut state = default_session_builder(config)?;
    functions().into_iter().try_for_each(|function| state.register_udf(function).map(drop))?;
    Ok(state)
}

async fn schedule(port: u16, timeout: u64, executors: usize) -> Result<(), Failure> {
    let config = SchedulerConfig {
        bind_host: "127.0.0.1".into(),
        bind_port: port,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        executor_timeout_seconds: timeout,
        expire_dead_executor_interval_seconds: 1,
        no_executors_grace_period_seconds: timeout,
        min_ready_executors: executors,
        override_session_builder: Some(Arc::new(session_state)),
        ..SchedulerConfig::default()
    };
    let cluster = BallistaCluster::new_from_config(&config).await.map_err(failure)?;
    start_server(cluster, ([127, 0, 0, 1], port).into(), Arc::new(config)).await.map_err(failure)
}

async fn execute(options: Executor) -> Result<(), Failure> {
    let mut registry = BallistaFunctionRegistry::default();
    registry.scalar_functions.extend(functions().into_iter().map(|function| (function.name().to_string(), function)));
    let config = ExecutorProcessConfig {
        external_host: Some("127.0.0.1".into()),
        port: options.port,
        grpc_port: options.port + 1,
        scheduler_host: "127.0.0.1".into(),
        scheduler_port: options.scheduler,
        scheduler_connect_timeout_seconds: 30,
        vcores: options.threads,
        work_dir: Some(options.folder.display().to_string()),
        executor_heartbeat_interval_seconds: 1,
        override_function_registry: Some(Arc::new(registry)),
        ..ExecutorProcessConfig::default()
    };
    start_executor_process(Arc::new(config)).await.map_err(failure)
}

/// A context whose queries the scheduler distributes.
async fn context(options: &Query) -> Result<SessionContext> {
    let config = SessionConfig::new_with_ballista().with_target_partitions(options.partitions);
    let state = SessionStateBuilder::new().with_config(config).with_default_features().build();
    let address = format!("df://127.0.0.1:{}", options.scheduler);
    let context = SessionContext::remote_with_state(&address, state).await?;
    functions().into_iter().for_each(|function| context.register_udf(function.as_ref().clone()));
    let any_name = ParquetReadOptions { file_extension: "", ..ParquetReadOptions::default() };
    context.register_parquet("t", options.table.to_string_lossy(), any_name).await?;
    Ok(context)
}

/// Writes the result of a query, and returns the number of rows.
async fn write(options: &Query, draft: &Path) -> Result<usize> {
    let frame = context(options).await?.sql(&options.sql).await?;
    let schema = frame.schema().inner().clone();
    let mut writer = ArrowWriter::try_new(File::create(draft)?, schema, None)?;
    let (mut batches, mut rows) = (frame.execute_stream().await?, 0);
    while let Some(batch) = batches.next().await {
        let batch = batch?;
        rows += batch.num_rows();
        writer.write(&batch)?;
    }
    writer.into_inner()?.sync_all()?;
    Ok(rows)
}

async fn query(options: Query) -> Result<(), Failure> {
    let draft = Drafts::watch().file(&options.save)?;
    let start = std::time::Instant::now();
    let rows = write(&options, draft.path()).await;
    let rows = rows.map_err(|error: DataFusionError| Failure::input(error.strip_backtrace()))?;
    draft.finish()?;
    commandline::print(&format!("{rows} rows, {:.3} s\n", start.elapsed().as_secs_f64()))
}

fn failure(error: ballista_core::error::BallistaError) -> Failure {
    Failure::input(error)
}

fn run(command: Command) -> Result<(), Failure> {
    let runtime = tokio::runtime::Runtime::new();
    let runtime = runtime.map_err(|error| Failure::input(format!("threads cannot be created: {error}")))?;
    runtime.block_on(async {
        match command {
            Command::Scheduler { port, timeout, executors } => schedule(port, timeout, executors).await,
            Command::Executor(options) => execute(options).await,
            Command::Query(options) => query(options).await,
        }
    })
}

fn main() {
    let command = Command::parse();
    // a query reports its error itself
    if !matches!(command, Command::Query(_)) {
        env_logger::init();
    }
    std::process::exit(commandline::guard(std::panic::AssertUnwindSafe(|| run(command))));
}
