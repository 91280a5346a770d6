//! Duplicate names in a list.

use rustc_hash::FxHashMap;

/// Up to this many items are compared pairwise.
const FEW: usize = 8;

/// The items of a list that have the name of an earlier one: the index of each, and of the first with that name. Items
/// without a name are not compared.
pub(crate) fn repeats<'i, T>(items: &'i [T], name: impl Fn(&'i T) -> &'i str) -> Vec<(usize, usize)> {
    if items.len() <= FEW {
        let earlier = |index: usize| {
            let own = name(&items[index]);
            let first = items[..index].iter().position(|item| name(item) == own)?;
            (!own.is_empty()).then_some((index, first))
        };
        return (1..items.len()).filter_map(earlier).collect();
    }
    let mut known: FxHashMap<&str, usize> = FxHashMap::default();
    known.reserve(items.len());
    let named = items.iter().map(name).enumerate().filter(|(_, name)| !name.is_empty());
    named
        .filter_map(|(index, name)| {
            let first = *known.entry(name).or_insert(index);
            (first != index).then_some((index, first))
        })
        .collect()
}
