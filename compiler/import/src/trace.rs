//! The positions of values in the model, recorded while a model is checked.

use check::{Part, Place, Step};
use indexmap::IndexMap;
use ir::{Location, Value};
use proto::TypeProto;

/// A value with a declared type.
pub(crate) struct Stated<'m> {
    pub(crate) value: Value,
    pub(crate) place: Place,
    pub(crate) r#type: &'m TypeProto,
}

impl Stated<'_> {
    /// Whether a function declares it.
    pub(crate) fn is_in_function(&self) -> bool {
        self.place.steps.first().is_some_and(|step| step.part == Part::Function)
    }
}

/// The path to the part that is being imported. While a path is recorded, the names in locations are positions.
#[derive(Default)]
pub(crate) struct Trace<'m> {
    path: Vec<Step<&'m str>>,
    /// The function calls that led here, each with the path of the caller.
    calls: Vec<(Location, Vec<Step<&'m str>>)>,
    places: IndexMap<String, Place>,
    pub(crate) stated: Vec<Stated<'m>>,
}

impl<'m> Trace<'m> {
    /// Descends to a part.
    pub(crate) fn enter(&mut self, step: Step<&'m str>) {
        self.path.push(step);
    }

    /// The length of the path.
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
    }

    /// Returns to a path of length `depth`.
    pub(crate) fn return_to(&mut self, depth: usize) {
        self.path.truncate(depth);
    }

    /// Enters a called function.
    pub(crate) fn call(&mut self, location: Location, function: Step<&'m str>) {
        self.calls.push((location, std::mem::replace(&mut self.path, vec![function])));
    }

    /// Returns from a function to the call.
    pub(crate) fn return_from_call(&mut self) {
        let (_, path) = self.calls.pop().expect("a function is being inlined");
        self.path = path;
    }

    /// The position of a part that is being imported, as a location name; in a function it includes that of the call.
    pub(crate) fn location(&mut self, steps: &[Step<&'m str>]) -> Location {
        let place = Place::new(&[&self.path, steps].concat());
        let name = place.to_string();
        let own = Location::name(&name);
        self.places.insert(name, place);
        match self.calls.last() {
            Some((caller, _)) => Location::CallSite(own.into(), caller.clone().into()),
            None => own,
        }
    }

    /// Records a value with a declared type.
    pub(crate) fn state(&mut self, value: Value, step: Step<&'m str>, r#type: &'m TypeProto) {
        let place = Place::new(&[&self.path[..], &[step]].concat());
        self.stated.push(Stated { value, place, r#type });
    }

    /// The position that a location names; the model itself if it names none.
    pub(crate) fn place(&self, location: &Location) -> Place {
        let named = location.names().into_iter().find_map(|name| self.places.get(&*name));
        named.cloned().unwrap_or_default()
    }

    /// A message about a position, which includes the call that led to its function.
    pub(crate) fn message(&self, location: &Location, message: &str) -> String {
        match location {
            Location::CallSite(_, caller) => format!("{message}, where {} calls it", self.place(caller)),
            _ => message.to_string(),
        }
    }
}
