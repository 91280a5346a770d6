//! Operands by name.

use smallvec::SmallVec;

use crate::body::Value;
use crate::op_name::OpName;

/// Operands in order.
pub type OperandList = SmallVec<[Value; 8]>;

/// The operands of an operation by name: all that [`Builder::create_from`](crate::Builder::create_from) needs to create
/// it, except for result types and attributes.
///
/// The dialects have a struct for each operation whose row names its operands. It also reads them.
///
/// ```
/// use ir::{Body, Builder, OpName, OperandList, Operands, Type, Value, operands};
///
/// /// The operands of `test.read`.
/// struct Read<'v> {
///     table: Value,
///     indices: &'v [Value],
/// }
///
/// impl Operands for Read<'_> {
///     fn name() -> OpName {
///         "test.read".into()
///     }
///
///     fn list(&self) -> OperandList {
///         operands::list(&[&[self.table], self.indices])
///     }
/// }
///
/// let mut body = Body::new();
/// let block = body.add_block(body.root(), &[Type::memref([None], Type::F32)]);
/// let table = body.arguments(block)[0];
/// let mut builder = Builder::at_end(&mut body, block);
/// let at = builder.constant_index(3);
/// let element = builder.value_from(Read { table, indices: &[at] }, Type::F32, []);
/// let read = body.defining_op(element).unwrap();
/// assert_eq!(body.op(read).operands(), [table, at]);
/// ```
pub trait Operands {
    /// The operation's name.
    fn name() -> OpName;

    /// The operands in order.
    fn list(&self) -> OperandList;
}

/// Groups of operands as one list.
pub fn list(groups: &[&[Value]]) -> OperandList {
    let mut list = OperandList::new();
    groups.iter().for_each(|group| list.extend_from_slice(group));
    list
}
