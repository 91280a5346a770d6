//! Locations: where an operation came from.

use std::fmt;
use std::sync::Arc;

/// The source of an operation. It is never optional: an operation without a source has `Unknown`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Location {
    /// `loc(unknown)`
    Unknown,
    /// `loc("file":line:column)`, both counted from 1.
    File {
        /// File name.
        file: Arc<str>,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
    },
    /// `loc("name")` or `loc("name"(child))`: an ONNX node's name.
    Name(Arc<str>, Option<Arc<Location>>),
    /// `loc(fused["a", "b"])`: the sources of a fused operation.
    Fused(Arc<[Location]>),
    /// `loc(callsite(callee at caller))`
    CallSite(Arc<Location>, Arc<Location>),
}

impl Location {
    /// `loc("name")`
    pub fn name(name: &str) -> Location {
        Location::Name(name.into(), None)
    }

    /// The names in this location, in order: the ONNX nodes that an operation computes.
    pub fn names(&self) -> Vec<Arc<str>> {
        match self {
            Location::Unknown | Location::File { .. } => vec![],
            Location::Name(name, _) => vec![name.clone()],
            Location::Fused(parts) => parts.iter().flat_map(Location::names).collect(),
            Location::CallSite(callee, _) => callee.names(),
        }
    }

    /// The location of an operation that replaces several; duplicates are dropped, order is kept.
    pub fn fuse(parts: impl IntoIterator<Item = Location>) -> Location {
        let mut flat: Vec<Location> = Vec::new();
        for part in parts {
            let inner = match part {
                Location::Unknown => continue,
                Location::Fused(inner) => inner.to_vec(),
                other => vec![other],
            };
            for location in inner {
                if !flat.contains(&location) {
                    flat.push(location);
                }
            }
        }
        match flat.len() {
            0 => Location::Unknown,
            1 => flat.remove(0),
            _ => Location::Fused(flat.into()),
        }
    }
}

impl Location {
    /// The position for messages: a file with line and column, or the nodes; `None` if it is unknown.
    pub fn place(&self) -> Option<String> {
        match self {
            Location::Unknown => None,
            Location::File { file, line, column } => Some(format!("{file}:{line}:{column}")),
            Location::Name(name, _) => Some(name.to_string()),
            Location::Fused(parts) => {
                let places: Vec<String> = parts.iter().filter_map(Location::place).collect();
                (!places.is_empty()).then(|| places.join(", "))
            }
            Location::CallSite(callee, caller) => callee.place().or_else(|| caller.place()),
        }
    }

    /// The position and the message in one line: `node_3: the operands differ`.
    pub fn statement(&self, message: &str) -> String {
        match self.place() {
            Some(place) => format!("{place}: {message}"),
            None => message.to_string(),
        }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Location::Unknown => write!(f, "unknown"),
            Location::File { file, line, column } => write!(f, "{}:{line}:{column}", crate::attributes::quote(file)),
            Location::Name(name, None) => write!(f, "{}", crate::attributes::quote(name)),
            Location::Name(name, Some(child)) => write!(f, "{}({child})", crate::attributes::quote(name)),
            Location::Fused(parts) => {
                let parts = parts.iter().map(Location::to_string).collect::<Vec<_>>().join(", ");
                write!(f, "fused[{parts}]")
            }
            Location::CallSite(callee, caller) => write!(f, "callsite({callee} at {caller})"),
        }
    }
}
