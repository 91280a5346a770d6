//! The baseline tier, compiled while it runs. Background threads lower functions from the kernel level to machine code,
//! in the order in which a run reaches them. A caller of a function that is not ready compiles it; if another thread is
//! already compiling it, the caller compiles another one meanwhile.
//!
//! Invariants
//! - The thread that takes a partition compiles it, so that no thread waits for a partition that no thread compiles.
//! - A function that cannot be compiled is an error of the first run that reaches it.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use codegen_cranelift::{Functions, Generator, Relocatable, Tier};
use ir::{Blob, Diagnostic, IndexMap, IndexSet, Module, Result};
use runtime::busy::{Busy, while_waiting};

use super::awaits;
use super::ondemand::{OnDemand, Provided, Source};
use super::panics::ended;
use super::text::Text;
use crate::Settings;
use crate::globals::{Place, constants, lost};
use crate::partition::{PARTS, is_host, keep_first_definitions, split_in_order};

/// Code of which some parts are still being compiled.
pub struct BaselineCode {
    code: OnDemand,
    _making: Making,
}

/// A compilation, which ends when this is dropped.
pub(crate) struct Making {
    parts: Arc<Parts>,
    /// Every function, in the order of the partitions.
    functions: Vec<String>,
    cancelled: Arc<AtomicBool>,
    helpers: Vec<crew::Handle<()>>,
}

/// A module in partitions, which are compiled one by one.
pub struct Parts {
    settings: Settings,
    generator: Generator,
    /// The partition that defines each function.
    homes: Vec<usize>,
    places: HashMap<String, Place>,
    /// Constants: the numbers after those of functions refer to these, and a wait for one ends when its bytes are
    /// ready.
    awaited: Vec<Blob>,
    /// The first partitions, this many, are host functions: they wait themselves for the constants whose addresses they
    /// pass on.
    hosts: usize,
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parts: Vec<Part>,
    /// Symbols that passes have defined so far.
    known: IndexSet<String>,
    /// Constants that passes have created.
    constants: IndexMap<String, Blob>,
    failure: Option<Vec<Diagnostic>>,
    /// The number of threads that compile partitions until none is left.
    helpers: usize,
}

/// Whether a thread that waits for partitions compiles some of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Help {
    /// Always: it has nothing else to do.
    Always,
    /// Only without background threads: a run is in progress.
    IfAlone,
}

enum Part {
    /// At the kernel level, and whether its code takes long to compile.
    Waiting(Box<Module>, bool),
    /// A thread is compiling it.
    Taken,
    /// Compiled: at the low level, and as code.
    Made(Box<Module>, Arc<Functions>),
}

impl Making {
    /// Starts with a module at the kernel level.
    pub(crate) fn begin(
        module: &mut Module,
        places: HashMap<String, Place>,
        settings: &Settings,
        cancelled: &Arc<AtomicBool>,
    ) -> Result<Making> {
        let awaited = awaits::insert(module);
        let parts = split_in_order(module, settings.workers * PARTS);
        let hosts = parts.iter().take_while(|part| part.functions().any(|function| is_host(&function))).count();
        let defined = |part: &Module| -> Vec<String> {
            let functions = part.functions().filter(|function| function.body.entry().is_some());
            functions.map(|function| function.name.to_string()).collect()
        };
        let functions: Vec<Vec<String>> = parts.iter().map(defined).collect();
        let generator = Generator::new(Tier::Quick, cancelled.clone())?;
        let waiting = |part: Module| {
            let is_long = part.functions().any(|function| generator.optimises(&function));
            Part::Waiting(Box::new(part), is_long)
        };
        let state = Mutex::new(State {
            parts: parts.into_iter().map(waiting).collect(),
            known: IndexSet::default(),
            constants: IndexMap::default(),
            failure: None,
            helpers: 0,
        });
        let homes = functions.iter().enumerate().flat_map(|(home, names)| names.iter().map(move |_| home)).collect();
        let functions = functions.concat().into_iter().chain((0..awaited.len()).map(awaits::name)).collect();
        let parts = Arc::new(Parts {
            settings: settings.clone(),
            generator,
            homes,
            places,
            awaited,
            hosts,
            state,
            changed: Condvar::new(),
        });
        let helper = |_| {
            let parts = parts.clone();
            crew::spawn(move || parts.help())
        };
        let helpers = (1..settings.workers).map(helper).collect();
        Ok(Making { parts, functions, cancelled: cancelled.clone(), helpers })
    }

    /// The partitions, which may outlive the code.
    pub(crate) fn parts(&self) -> &Arc<Parts> {
        &self.parts
    }
}

impl Drop for Making {
    fn drop(&mut self) {
        self.cancelled.store(true, Ordering::Relaxed);
        for helper in self.helpers.drain(..) {
            // its panic is the failure of the partition
            let _ = helper.outcome();
        }
    }
}

impl BaselineCode {
    /// Memory for code that runs while parts of it are missing, if that is possible: not if passes define functions that
    /// several partitions call.
    pub(crate) fn memory(settings: &Settings) -> Option<Text> {
        if settings.shares_functions { None } else { OnDemand::memory() }
    }

    /// Code that may already run.
    pub(crate) fn of(making: Making, text: Text) -> Result<BaselineCode> {
        let names: Vec<&str> = making.functions.iter().map(String::as_str).collect();
        let code = OnDemand::new(&names, making.parts.clone(), text)?;
        Ok(BaselineCode { code, _making: making })
    }

    /// The address of a function, if it is defined.
    pub(crate) fn function(&self, name: &str) -> Option<*const u8> {
        self.code.function(name)
    }

    /// The errors of functions that were called and could not be compiled.
    pub(crate) fn failure(&self) -> Option<&[Diagnostic]> {
        self.code.failure()
    }
}

impl Source for Parts {
    fn provide(&self, number: usize) -> Result<Provided> {
        let Some(&home) = self.homes.get(number) else {
            let awaited = &self.awaited[number - self.homes.len()];
            while_waiting(|| awaited.ready()).ok_or_else(lost)?;
            return Ok(Provided::Address(awaits::nothing_to_wait_for()));
        };
        let state = self.wait_for(Help::Always, |number| number == home)?;
        let functions = state.parts[home].functions().expect("it was waited for").clone();
        let constants = state.constants.clone();
        drop(state);
        let address = |name: &str| match self.places.get(name).filter(|_| !awaits::is_one(name)) {
            Some(place) if home < self.hosts => Some(Ok(place.address())),
            Some(place) => Some(place.ready()),
            None => constants.get(name).map(|blob| Ok(blob.address())),
        };
        let named = functions.externals().filter_map(|name| Some(address(name)?.map(|at| (name.to_string(), at))));
        let symbols: BTreeMap<String, usize> = named.collect::<Result<_, Diagnostic>>()?;
        Ok(Provided::Functions { functions, symbols })
    }
}

impl Parts {
    /// Waits until all partitions are compiled, and compiles those that no thread has taken.
    pub(crate) fn finish(&self) -> Result<()> {
        self.all(Help::Always).map(|_| ())
    }

    fn all(&self, help: Help) -> Result<MutexGuard<'_, State>> {
        self.wait_for(help, |_| true)
    }

    /// The same for the partitions with some numbers, which have priority.
    fn wait_for(&self, help: Help, is_wanted: impl Fn(usize) -> bool) -> Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        loop {
            if let Some(failure) = &state.failure {
                return Err(failure.clone());
            }
            if state.parts.iter().enumerate().all(|(number, part)| !is_wanted(number) || part.functions().is_some()) {
                return Ok(state);
            }
            let helps = help == Help::Always || state.helpers == 0;
            let has_helper = state.helpers > 0;
            // a waiting thread does not start a long compilation
            let others = |state: &mut State| state.take(|_, is_long| !(is_long && has_helper));
            let part =
                if helps { state.take(|number, _| is_wanted(number)).or_else(|| others(&mut state)) } else { None };
            state = match part {
                Some((number, part)) => {
                    drop(state);
                    self.make(number, part);
                    self.lock()
                }
                None => while_waiting(|| self.changed.wait(state)).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Compiles partitions until no thread has to take any.
    fn help(&self) {
        let _busy = Busy::processor();
        self.lock().helpers += 1;
        let next = || self.lock().take(|_, _| true);
        while let Some((number, part)) = next() {
            self.make(number, part);
        }
        self.lock().helpers -= 1;
        self.changed.notify_all();
    }

    fn make(&self, number: usize, mut part: Box<Module>) {
        let functions = catch_unwind(AssertUnwindSafe(|| {
            let functions = self.to_code(&mut part)?;
            let constants = constants(&part).collect::<std::result::Result<Vec<_>, _>>().map_err(Diagnostic::from)?;
            Ok((functions, constants))
        }));
        let mut state = self.lock();
        match functions.unwrap_or_else(|panic| Err(vec![ended(&*panic)])) {
            Ok((functions, constants)) => {
                state.constants.extend(constants);
                state.parts[number] = Part::Made(part, Arc::new(functions));
            }
            Err(diagnostics) => {
                state.failure.get_or_insert(diagnostics);
            }
        }
        drop(state);
        // wake all waiters
        self.changed.notify_all();
    }

    fn to_code(&self, part: &mut Module) -> Result<Functions> {
        self.settings.lowering.lower_partition(part)?;
        keep_first_definitions(part, &mut self.lock().known);
        self.generator.generate(part)
    }

    /// All partitions at the low level, which are moved out.
    pub(crate) fn modules(&self) -> Result<Vec<Module>> {
        let mut state = self.all(Help::IfAlone)?;
        let module = |part: &mut Part| match part {
            Part::Made(module, _) => Some(std::mem::take(&mut **module)),
            Part::Waiting(..) | Part::Taken => None,
        };
        Ok(state.parts.iter_mut().filter_map(module).collect())
    }

    /// The code of all partitions, and the constants that only they define.
    pub(crate) fn relocatable(&self) -> Result<(Relocatable, IndexMap<String, Blob>)> {
        let state = self.all(Help::IfAlone)?;
        let functions = state.parts.iter().filter_map(Part::functions).cloned().collect();
        Ok((self.generator.relocatable(functions), state.constants.clone()))
    }

    /// The addresses of all symbols that the code of all partitions refers to.
    pub(crate) fn symbols(&self) -> Result<BTreeMap<String, usize>> {
        let constants = self.all(Help::IfAlone)?.constants.clone();
        let known = self.places.iter().map(|(name, place)| Ok((name.clone(), place.ready()?)));
        let made = constants.iter().map(|(name, blob)| Ok((name.clone(), blob.address())));
        Ok(made.chain(known).collect::<Result<_, Diagnostic>>()?)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The first wanted partition that no thread has taken.
    fn take(&mut self, is_wanted: impl Fn(usize, bool) -> bool) -> Option<(usize, Box<Module>)> {
        let is_free = |(number, part): &(usize, &Part)| match part {
            Part::Waiting(_, is_long) => is_wanted(*number, *is_long),
            Part::Taken | Part::Made(..) => false,
        };
        let number = self.parts.iter().enumerate().find(is_free)?.0;
        match std::mem::replace(&mut self.parts[number], Part::Taken) {
            Part::Waiting(part, _) => Some((number, part)),
            Part::Taken | Part::Made(..) => unreachable!("it waits"),
        }
    }
}

impl Part {
    fn functions(&self) -> Option<&Arc<Functions>> {
        match self {
            Part::Made(_, functions) => Some(functions),
            Part::Waiting(..) | Part::Taken => None,
        }
    }
}
