//! Work that pays off if a model keeps running: on a background thread, or immediately for a caller that waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use ir::Result;

/// How a job is to run.
#[derive(Clone, Default)]
pub(crate) struct Conditions {
    /// Whether it runs in the background of the model's runs, which use the other processors.
    pub(crate) in_background: bool,
    /// Set when the result is not needed any more.
    pub(crate) cancelled: Arc<AtomicBool>,
}

type Job<T> = Box<dyn FnOnce(&Conditions) -> Result<T> + Send>;

/// A job that runs at most once, and its result.
pub(crate) struct Background<T> {
    result: Arc<OnceLock<Result<T>>>,
    cancelled: Arc<AtomicBool>,
    job: Mutex<Option<Job<T>>>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl<T: Send + Sync + 'static> Background<T> {
    /// A job that has not started.
    pub(crate) fn new(job: impl FnOnce(&Conditions) -> Result<T> + Send + 'static) -> Background<T> {
        Background {
            result: Arc::default(),
            cancelled: Arc::default(),
            job: Mutex::new(Some(Box::new(job))),
            worker: Mutex::default(),
        }
    }

    /// The result, if the job has succeeded.
    pub(crate) fn get(&self) -> Option<&T> {
        self.result.get()?.as_ref().ok()
    }

    /// Starts the job on a background thread, once.
    pub(crate) fn start(&self) {
        let Some(job) = self.take() else { return };
        let (result, conditions) = (self.result.clone(), self.conditions(true));
        let work = move || {
            // if memory is short there is no result
            let _ = limits::catch(|| result.get_or_init(|| job(&conditions)));
        };
        // without a thread the model continues with its current code
        let worker = std::thread::Builder::new().spawn(work).ok();
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = worker;
    }

    /// Runs the job now, or waits for the thread that runs it.
    pub(crate) fn finish(&self) -> Result<()> {
        match self.take() {
            Some(job) => {
                self.result.get_or_init(|| job(&self.conditions(false)));
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
            worker.join().expect("the work does not panic");
        }
    }
}

impl<T> Drop for Background<T> {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        self.join();
    }
}
