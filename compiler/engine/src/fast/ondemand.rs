//! Code that runs while some of its functions are still being compiled: a call of one of them waits for it.

use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use codegen_cranelift::{CompiledFunction, Functions, check_symbols};
use ir::{Diagnostic, Result};

use super::panics::ended;
use super::stubs::{Demand, STUB, Slots};
use super::text::Text;

/// Compiles functions that are called.
pub(crate) trait Source: Send + Sync {
    /// Returns functions that have not been returned before, among them the one with this number; called on one thread
    /// at a time.
    fn provide(&self, number: usize) -> Result<Provided>;
}

/// The result for a called function.
pub(crate) enum Provided {
    /// Functions to be linked.
    Functions {
        /// Their code.
        functions: Arc<Functions>,
        /// The addresses of the symbols that it refers to, by name.
        symbols: BTreeMap<String, usize>,
    },
    /// An existing function at an address.
    Address(usize),
}

/// Machine code in memory, linked on first call. The code lives as long as this value.
pub(crate) struct OnDemand(Arc<Linked>);

struct Linked {
    /// The numbers of functions.
    numbers: HashMap<String, usize>,
    source: Arc<dyn Source>,
    slots: Slots,
    memory: Mutex<Memory>,
    failure: OnceLock<Vec<Diagnostic>>,
}

struct Memory {
    text: Text,
    /// Addresses of functions, or of their stubs, and of external symbols.
    symbols: HashMap<String, usize>,
}

/// Whether this machine supports stubs for functions that are not compiled yet.
fn has_stubs() -> bool {
    #[cfg(target_arch = "x86_64")]
    // without it some instructions are library calls
    return std::arch::is_x86_feature_detected!("sse4.1");
    #[cfg(not(target_arch = "x86_64"))]
    return cfg!(target_arch = "aarch64");
}

impl OnDemand {
    /// Memory for code that runs while parts of it are compiled, if this machine and the system support it.
    pub(crate) fn memory() -> Option<Text> {
        if has_stubs() { Text::new().ok() } else { None }
    }

    /// The code of the functions of a source. A function's number is the index of its name.
    pub(crate) fn new(names: &[&str], source: Arc<dyn Source>, text: Text) -> Result<OnDemand> {
        let memory = Memory { text, symbols: HashMap::new() };
        let linked = Arc::new_cyclic(|linked: &Weak<Linked>| {
            let linked = linked.clone();
            let demand: Demand = Arc::new(move |number| {
                // running code keeps it alive
                if let Some(linked) = linked.upgrade() {
                    linked.demand(number);
                }
            });
            Linked {
                numbers: names.iter().enumerate().map(|(number, name)| (name.to_string(), number)).collect(),
                source,
                slots: Slots::new(names.len(), &demand),
                memory: Mutex::new(memory),
                failure: OnceLock::new(),
            }
        });
        linked.place_stubs(names)?;
        Ok(OnDemand(linked))
    }

    /// The address of a function, or of its stub.
    pub(crate) fn function(&self, name: &str) -> Option<*const u8> {
        self.0.numbers.get(name)?;
        self.0.lock().symbols.get(name).map(|&address| std::ptr::with_exposed_provenance(address))
    }

    /// The errors of functions that were called and could not be compiled; such a call does nothing.
    pub(crate) fn failure(&self) -> Option<&[Diagnostic]> {
        self.0.failure.get().map(Vec::as_slice)
    }
}

impl Linked {
    fn place_stubs(&self, names: &[&str]) -> Result<()> {
        let memory = &mut *self.lock();
        let stubs = memory.text.place(&self.slots.code(), STUB)?;
        memory.text.publish([(stubs, names.len() * STUB)]);
        let stub = |(number, name): (usize, &&str)| (name.to_string(), stubs + number * STUB);
        memory.symbols.extend(names.iter().enumerate().map(stub));
        Ok(())
    }

    /// Compiles and links a function, unless that is done.
    fn demand(&self, number: usize) {
        let mut memory = self.lock();
        if self.failure.get().is_none()
            && !self.slots.is_bound(number)
            && let Err(diagnostics) = self.link_or_fail(number, &mut memory)
        {
            self.failure.get_or_init(|| diagnostics);
        }
    }

    /// The same; a panic is an error, because generated code may be the caller.
    fn link_or_fail(&self, number: usize, memory: &mut Memory) -> Result<()> {
        catch_unwind(AssertUnwindSafe(|| self.link(number, memory))).unwrap_or_else(|panic| Err(vec![ended(&*panic)]))
    }

    fn link(&self, number: usize, memory: &mut Memory) -> Result<()> {
        let (functions, symbols) = match self.source.provide(number)? {
            Provided::Functions { functions, symbols } => (functions, symbols),
            Provided::Address(address) => {
                self.slots.bind(number, std::ptr::with_exposed_provenance(address));
                return Ok(());
            }
        };
        memory.symbols.extend(symbols);
        check_symbols(functions.iter(), |name| memory.symbols.contains_key(name))?;
        let mut places = Vec::new();
        for function in functions.iter() {
            let address = memory.text.place(function.code(), function.alignment())?;
            memory.symbols.insert(function.name().to_string(), address);
            places.push(address);
        }
        for (function, &address) in functions.iter().zip(&places) {
            memory.write_addresses(function, address)?;
        }
        let placed = functions.iter().zip(&places).map(|(function, &address)| (address, function.code().len()));
        memory.text.publish(placed);
        for (function, address) in functions.iter().zip(places) {
            if let Some(&number) = self.numbers.get(function.name()) {
                self.slots.bind(number, std::ptr::with_exposed_provenance(address));
            }
        }
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// Writes the addresses into a placed function.
    fn write_addresses(&mut self, function: &CompiledFunction, place: usize) -> Result<()> {
        for address in function.addresses() {
            let (offset, name, addend) = address?;
            let target = self.symbols[name] as i64 + addend;
            self.text.write(place + offset, target.to_le_bytes());
        }
        Ok(())
    }
}
