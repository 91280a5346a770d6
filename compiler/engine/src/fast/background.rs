//! Work that pays off if a model keeps running: on a background thread, or immediately for a caller that waits for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use ir::Result;

use super::panics::ended;

/// How a job is to run.
#[derive(Clone, Default)]
pub struct Conditions {
    /// Whether it runs in the background of the model's runs, which use the other processors.
    pub in_background: bool,
    /// Set when the result is not needed any more.
    pub cancelled: Arc<AtomicBool>,
}

type Job<T> = Box<dyn FnOnce(&Conditions) -> Result<T> + Send>;

/// The result of a job; a panic is an error.
fn result_of<T>(job: Job<T>, conditions: &Conditions) -> Result<T> {
    catch_unwind(AssertUnwindSafe(|| job(conditions))).unwrap_or_else(|panic| Err(vec![ended(&*panic)]))
}

/// A job that runs at most once, and its result.
pub struct Background<T> {
    result: Arc<OnceLock<Result<T>>>,
    cancelled: Arc<AtomicBool>,
    job: Mutex<Option<Job<T>>>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl<T: Send + Sync + 'static> Background<T> {
    /// A job that has not started.
    pub fn new(job: impl FnOnce(&Conditions) -> Result<T> + Send + 'static) -> Background<T> {
        Background {
            result: Arc::default(),
            cancelled: Arc::default(),
            job: Mutex::new(Some(Box::new(job))),
            worker: Mutex::default(),
        }
    }

    /// The result, if the job has succeeded.
    pub fn get(&self) -> Option<&T> {
        self.result.get()?.as_ref().ok()
    }

    /// Starts the job on a background thread, once.
    pub fn start(&self) {
        let Some(job) = self.take() else { return };
        let (result, conditions) = (self.result.clone(), self.conditions(true));
        let work = move || {
            result.get_or_init(|| result_of(job, &conditions));
        };
        // without a thread the model continues with its current code
        let worker = std::thread::Builder::new().spawn(work).ok();
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = worker;
    }

    /// Runs the job now, or waits for the thread that runs it.
    pub fn finish(&self) -> Result<()> {
        match self.take() {
            Some(job) => {
                self.result.get_or_init(|| result_of(job, &self.conditions(false)));
            }
            None => self.join(),
        }
        match self.result.get() {
            Some(Err(diagnostics)) => Err(diagnostics.clone()),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    fn conditions(&self, in_background: bool) -> Conditions {
        Conditions { in_background, cancelled: self.cancelled.clone() }
    }

    fn take(&self) -> Option<Job<T>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl<T> Background<T> {
    fn join(&self) {
        let worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(worker) = worker {
            // panics of the job are its result
            let _ = worker.join();
        }
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.join();
    }
}
