//! The grouped form: `[N, C, S…]` viewed as `[N, G, C / G, S]`, the result of a grouped pointwise convolution. It is a
//! reshape of the plain form; elementwise readers keep it, so that they fuse with the convolution.

use ir::{DimExpr, Value};

use super::Lowering;
use super::reduction::Shaped;

/// A value in grouped form and its number of groups.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grouped {
    value: Value,
    groups: i64,
}

/// The grouped form of a shape `[N, C, S…]`, or of one that broadcasts to it (extents of 1). `None` if only some of the
/// spatial extents are broadcast, or if it is not known whether the channels are.
fn grouped_shape(shape: &[DimExpr], full: &[DimExpr], groups: i64) -> Option<Vec<DimExpr>> {
    let channels = match &shape[1] {
        channels if *channels == full[1] => {
            [DimExpr::Constant(groups), full[1].divide_exactly(&DimExpr::Constant(groups))?]
        }
        channels if *channels == DimExpr::ONE => [DimExpr::ONE, DimExpr::ONE],
        _ => return None,
    };
    let whole = shape[2..] == full[2..];
    let single = shape[2..].iter().all(|dim| *dim == DimExpr::ONE);
    let spatial = if whole || single { DimExpr::product(&shape[2..]) } else { return None };
    let [groups, members] = channels;
    Some(vec![shape[0].clone(), groups, members, spatial])
}

impl Lowering<'_> {
    /// Records that a result was produced in grouped form.
    pub(crate) fn bind_grouped(&mut self, result: Value, value: Value, groups: i64) {
        self.grouped.insert(result, Grouped { value, groups });
    }

    /// The plain form of a value that was produced grouped.
    pub(crate) fn ungroup(&mut self, value: Value) -> Option<Value> {
        let grouped = *self.grouped.get(&value)?;
        let shape = self.shape(value);
        Some(self.reshape(grouped.value, &shape))
    }

    /// The number of groups for the operands of an elementwise operator, if one of them is grouped.
    pub(crate) fn groups_of(&self, operands: &[Value], result: Value) -> Option<i64> {
        let shape = self.shapes.shape(result);
        let lead = |value: &Value| self.grouped.get(value).filter(|_| self.shapes.shape(*value) == shape);
        let groups = operands.iter().find_map(lead)?.groups;
        let blocked = operands.iter().any(|value| self.is_blocked(*value));
        (!blocked).then_some(groups)
    }

    /// An elementwise operator's operands and its result's shape in grouped form.
    pub(crate) fn grouped_operands(
        &mut self,
        operands: &[Value],
        result: Value,
        groups: i64,
    ) -> Option<(Vec<Shaped>, Vec<DimExpr>)> {
        let full = self.shape(result);
        let shape = grouped_shape(&full, &full, groups)?;
        let mut forms = Vec::new();
        for &operand in operands {
            let own = self.shape(operand);
            let mut aligned = vec![DimExpr::ONE; full.len().checked_sub(own.len())?];
            aligned.extend(own);
            forms.push(grouped_shape(&aligned, &full, groups)?);
        }
        let shaped = operands
            .iter()
            .zip(forms)
            .map(|(&operand, form)| match self.grouped.get(&operand) {
                Some(grouped) if grouped.groups == groups => Shaped { value: grouped.value, shape: form },
                _ => {
                    let value = self.value(operand);
                    Shaped { value: self.reshape(value, &form), shape: form }
                }
            })
            .collect();
        Some((shaped, shape))
    }

    /// A tensor with one element per channel, as an operand of the grouped form.
    pub(crate) fn grouped_parameter(&mut self, parameter: &Shaped, groups: i64) -> Shaped {
        let members =
            parameter.shape[0].divide_exactly(&DimExpr::Constant(groups)).expect("groups divide the channels");
        let shape = vec![DimExpr::ONE, DimExpr::Constant(groups), members, DimExpr::ONE];
        Shaped { value: self.reshape(parameter.value, &shape), shape }
    }
}
