//! Where in the model things stand, for reports: kept only while a model is checked.

use check::{Part, Place, Step};
use indexmap::IndexMap;
use ir::{Location, Value};
use proto::TypeProto;

/// A value whose type the model states.
pub(crate) struct Stated<'m> {
    pub(crate) value: Value,
    pub(crate) place: Place,
    pub(crate) r#type: &'m TypeProto,
}

impl Stated<'_> {
    /// Whether a function states it.
    pub(crate) fn is_in_function(&self) -> bool {
        self.place.steps.first().is_some_and(|step| step.part == Part::Function)
    }
}

/// The way to what is being imported. While there is one, the names in locations are places.
#[derive(Default)]
pub(crate) struct Trace<'m> {
    path: Vec<Step<&'m str>>,
    /// The calls of functions that led here, each with where the path was.
    calls: Vec<(Location, Vec<Step<&'m str>>)>,
    places: IndexMap<String, Place>,
    pub(crate) stated: Vec<Stated<'m>>,
}

impl<'m> Trace<'m> {
    /// Goes on to a part of what is being imported.
    pub(crate) fn enter(&mut self, step: Step<&'m str>) {
        self.path.push(step);
    }

    /// How many steps it took to come here.
    pub(crate) fn depth(&self) -> usize {
        self.path.len()
    }

    /// Comes back to where it took so many steps to.
    pub(crate) fn return_to(&mut self, depth: usize) {
        self.path.truncate(depth);
    }

    /// Goes on to a function that is called.
    pub(crate) fn call(&mut self, location: Location, function: Step<&'m str>) {
        self.calls.push((location, std::mem::replace(&mut self.path, vec![function])));
    }

    /// Comes back from a function to where it is called.
    pub(crate) fn return_from_call(&mut self) {
        let (_, path) = self.calls.pop().expect("a function is being inlined");
        self.path = path;
    }

    /// The place of a part of what is being imported, as the name of a location; in a function also where that is called.
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

    /// Takes note of a value whose type the model states.
    pub(crate) fn state(&mut self, value: Value, step: Step<&'m str>, r#type: &'m TypeProto) {
        let place = Place::new(&[&self.path[..], &[step]].concat());
        self.stated.push(Stated { value, place, r#type });
    }

    /// The place that a location names; the model itself where it names none.
    pub(crate) fn place(&self, location: &Location) -> Place {
        let named = location.names().into_iter().find_map(|name| self.places.get(&*name));
        named.cloned().unwrap_or_default()
    }

    /// A message about a place, which says by what the function that it is in was called.
    pub(crate) fn message(&self, location: &Location, message: &str) -> String {
        match location {
            Location::CallSite(_, caller) => format!("{message}, where {} calls it", self.place(caller)),
            _ => message.to_string(),
        }
    }
}
