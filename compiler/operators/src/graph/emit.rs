//! Building operations of the onnx dialect whose result types follow from their operands.

use dialects::onnx::views::Reader;
use dialects::onnx::{CONSTANT, schema};
use ir::{Attribute, Attributes, Block, Body, DenseElements, Diagnostic, DimExpr, Location, Op, OpName, Type, Value};

use crate::literal;
use crate::shape::ShapeAnalysis;
use crate::types::{element_type, result_type};

/// A function being built, and the insertion point.
pub struct Emitter {
    /// The function being built.
    pub body: Body,
    /// The block that operations are appended to.
    pub block: Block,
    /// The location of new operations.
    pub location: Location,
    /// The value for omitted optional operands.
    pub none: Value,
    /// The channel block size of a model with blocked images.
    pub channel_block: Option<i64>,
    /// Errors so far that do not prevent building the rest.
    pub errors: Vec<Diagnostic>,
    /// The shapes of an existing function; new operations are analysed immediately.
    shapes: Option<ShapeAnalysis>,
}

impl Default for Emitter {
    /// An empty function.
    fn default() -> Emitter {
        let mut body = Body::new();
        let block = body.add_block(body.root(), &[]);
        let op = body.create_op("onnx.NoValue", &[], &[Type::None], Attributes::new(), Location::Unknown);
        body.append(block, op);
        let none = body.result(op, 0);
        Emitter { body, block, location: Location::Unknown, none, channel_block: None, errors: vec![], shapes: None }
    }
}

impl Emitter {
    /// An emitter for an existing function with known shapes; operations go to the block that is set next.
    pub fn inside(mut body: Body, shapes: ShapeAnalysis) -> Emitter {
        let block = body.entry().expect("a function has a block");
        let op = body.create_op("onnx.NoValue", &[], &[Type::None], Attributes::new(), Location::Unknown);
        body.insert(block, None, op);
        let none = body.result(op, 0);
        Emitter {
            body,
            block,
            location: Location::Unknown,
            none,
            channel_block: None,
            errors: vec![],
            shapes: Some(shapes),
        }
    }

    /// An operation at the insertion point.
    pub fn create(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        types: &[Type],
        attributes: Attributes,
    ) -> Op {
        let op = self.body.create_op(name, operands, types, attributes, self.location.clone());
        self.body.append(self.block, op);
        self.analyse(op);
        op
    }

    /// An operation whose results are added, and whose shapes are inferred, once its regions are complete.
    pub(crate) fn create_without_results(
        &mut self,
        name: &'static str,
        operands: &[Value],
        attributes: impl Into<Attributes>,
    ) -> Op {
        let op = self.body.create_op(name, operands, &[], attributes.into(), self.location.clone());
        self.body.append(self.block, op);
        op
    }

    /// The symbolic shape of a value, if its rank is known.
    pub(crate) fn shape(&self, value: Value) -> Option<Vec<DimExpr>> {
        self.shapes.as_ref()?.shape(value).map(<[DimExpr]>::to_vec)
    }

    /// States the shape of an argument.
    pub(crate) fn assume(&mut self, argument: Value, shape: Option<Vec<DimExpr>>) {
        let Some(shapes) = &mut self.shapes else { return };
        shapes.assume(&self.body, argument, shape);
        if let Some(r#type) = shapes.tensor_type(argument) {
            self.body.set_value_type(argument, r#type);
        }
    }

    /// Gives the results of a new operation their inferred types.
    pub(crate) fn analyse(&mut self, op: Op) {
        let Some(shapes) = &mut self.shapes else { return };
        if let Err(errors) = shapes.infer(&self.body, op) {
            self.errors.extend(errors);
        }
        for result in self.body.op(op).results().to_vec() {
            if let (Some(r#type), Type::Tensor(_)) = (shapes.tensor_type(result), self.body.value_type(result)) {
                self.body.set_value_type(result, r#type);
            }
        }
    }

    /// An operator of the default domain in its newest form, with one result.
    pub fn op(&mut self, name: &str, operands: &[Value], attributes: impl Into<Attributes>) -> Value {
        self.op_of("", name, operands, attributes.into())
    }

    /// An operator of `ai.onnx.ml` in its newest form, with one result.
    pub(crate) fn ml(&mut self, name: &str, operands: &[Value], attributes: impl Into<Attributes>) -> Value {
        self.op_of("ai.onnx.ml", name, operands, attributes.into())
    }

    /// An operator of the default domain in its newest form, with its first results.
    pub(crate) fn results<const N: usize>(
        &mut self,
        name: &str,
        operands: &[Value],
        attributes: impl Into<Attributes>,
    ) -> [Value; N] {
        self.results_of("", name, operands, attributes.into())
    }

    /// An operator with one result: a constant, if it follows from small constants.
    fn op_of(&mut self, domain: &str, name: &str, operands: &[Value], attributes: Attributes) -> Value {
        if let Some(elements) = self.computed(domain, name, operands, &attributes) {
            return self.constant(elements);
        }
        let [result] = self.results_of(domain, name, operands, attributes);
        result
    }

    fn computed(&self, domain: &str, name: &str, operands: &[Value], attributes: &Attributes) -> Option<DenseElements> {
        let known = |&operand: &Value| self.known(operand).filter(|elements| literal::is_small(elements));
        let literals: Vec<&DenseElements> = operands.iter().map(known).collect::<Option<_>>()?;
        match (domain, name, &literals[..]) {
            (_, _, []) => None,
            ("", "Cast", [elements]) => {
                let number = i32::try_from(attributes.get("to")?.as_integer()?).ok()?;
                literal::cast(elements, &element_type(number).ok()?)
            }
            ("", "Unsqueeze", [elements, axes]) => literal::unsqueezed(elements, &axes.integers()?),
            _ => literal::computed(&schema::newest(domain, name)?.op_name(), &literals),
        }
    }

    fn results_of<const N: usize>(
        &mut self,
        domain: &str,
        name: &str,
        operands: &[Value],
        attributes: Attributes,
    ) -> [Value; N] {
        let schema = schema::newest(domain, name).expect("a known operator");
        let reader = Reader { body: &self.body, operands, attributes: &attributes };
        let r#type = |index| result_type(schema, index, &reader).expect("its type follows from the operands");
        let types: [Type; N] = std::array::from_fn(r#type);
        let op = self.create(schema.op_name(), operands, &types, attributes);
        std::array::from_fn(|index| self.body.result(op, index))
    }

    /// A constant.
    pub fn constant(&mut self, elements: DenseElements) -> Value {
        let r#type = elements.r#type.clone();
        let op = self.create(CONSTANT, &[], &[r#type], [("value", Attribute::dense(elements))].into());
        self.body.result(op, 0)
    }

    /// A constant list of `int64`.
    pub fn integers(&mut self, values: &[i64]) -> Value {
        self.constant(DenseElements::from_i64(&[values.len() as i64], values))
    }

    /// A constant `int64` scalar.
    pub fn integer(&mut self, value: i64) -> Value {
        self.constant(DenseElements::from_i64(&[], &[value]))
    }

    /// A constant scalar of a float type.
    pub fn float(&mut self, value: f64, element: &Type) -> Option<Value> {
        let Type::Float(format) = element else { return None };
        let bits = ir::floats::encode(value, *format).to_le_bytes();
        let width = element.byte_width().expect("floats have a width");
        let r#type = Type::static_tensor(&[], element.clone());
        Some(self.constant(DenseElements::new(r#type, ir::Blob::copy_of(&bits[..width]))))
    }

    /// The contents of a constant.
    pub fn known(&self, value: Value) -> Option<&DenseElements> {
        let op = self.body.defining_op(value)?;
        if self.body.name(op) != "onnx.Constant" {
            return None;
        }
        self.body.attribute(op, "value")?.as_dense().map(|elements| &**elements)
    }

    /// The rank of a value, if its type has one.
    pub fn rank(&self, value: Value) -> Option<usize> {
        self.body.value_type(value).rank()
    }
}
