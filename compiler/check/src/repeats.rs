//! Names that stand in a list twice.

use rustc_hash::FxHashMap;

/// Items of a list, at most, that are compared each with each.
const FEW: usize = 8;

/// The items of a list that are called like an earlier one: the number of each, and of the first of that name. Items without a
/// name are not compared.
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
