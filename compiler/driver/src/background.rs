//! Work that pays off for a model that goes on running: on a thread beside its runs, or at once for who waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

use ir::Result;

/// How a piece of work is done.
#[derive(Clone, Default)]
pub(crate) struct Conditions {
    /// Whether the model runs meanwhile: the other processors are busy.
    pub(crate) beside: bool,
    /// Set when nobody wants the result any more.
    pub(crate) cancelled: Arc<AtomicBool>,
}

type Job<T> = Box<dyn FnOnce(&Conditions) -> Result<T> + Send>;

/// Work that is done once, if ever, and what comes of it.
pub(crate) struct Background<T> {
    result: Arc<OnceLock<Result<T>>>,
    cancelled: Arc<AtomicBool>,
    job: Mutex<Option<Job<T>>>,
    worker: Mutex<Option<JoinHandle<()>>>,
}

impl<T: Send + Sync + 'static> Background<T> {
    /// Work that nobody has begun yet.
    pub(crate) fn new(job: impl FnOnce(&Conditions) -> Result<T> + Send + 'static) -> Background<T> {
        Background {
            result: Arc::default(),
            cancelled: Arc::default(),
            job: Mutex::new(Some(Box::new(job))),
            worker: Mutex::default(),
        }
    }

    /// What came of it, once it is done and went well.
    pub(crate) fn get(&self) -> Option<&T> {
        self.result.get()?.as_ref().ok()
    }

    /// Begins on a thread beside the runs; once.
    pub(crate) fn start(&self) {
        let Some(job) = self.take() else { return };
        let (result, conditions) = (self.result.clone(), self.conditions(true));
        let work = move || {
            // where memory is short there is no result
            let _ = limits::catch(|| result.get_or_init(|| job(&conditions)));
        };
        // without a thread the model goes on with the code that it has
        let worker = std::thread::Builder::new().spawn(work).ok();
        *self.worker.lock().unwrap_or_else(PoisonError::into_inner) = worker;
    }

    /// Does it now, or waits for the thread that does.
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

    fn conditions(&self, beside: bool) -> Conditions {
        Conditions { beside, cancelled: self.cancelled.clone() }
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
