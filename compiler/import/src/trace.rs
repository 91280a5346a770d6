//! Where in the model things stand, for reports: kept only while a model is checked.

use check::{Place, Step};
use indexmap::IndexMap;
use ir::{Location, Value};
use proto::TypeProto;

/// A value whose type the model states.
pub(crate) struct Stated<'m> {
    pub(crate) value: Value,
    pub(crate) place: Place,
    pub(crate) r#type: &'m TypeProto,
}

/// The way to what is being imported. While there is one, the names in locations are places.
#[derive(Default)]
pub(crate) struct Trace<'m> {
    path: Vec<Step<&'m str>>,
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

    /// The place of a part of what is being imported, as the name of a location.
    pub(crate) fn location(&mut self, steps: &[Step<&'m str>]) -> Location {
        let place = Place::new(&[&self.path, steps].concat());
        let name = place.to_string();
        let location = Location::name(&name);
        self.places.insert(name, place);
        location
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
}
