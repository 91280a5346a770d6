//! Maps from labels to numbers: ZipMap creates them, DictVectorizer and CastMap read them. At run time a map is two
//! lists.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::ml::{CastMap, DictVectorizer, ZipMap};
use dialects::onnx::views::{CastMapTarget, MapForm, View};
use ir::{DimExpr, Type};

use super::scores::Labels;
use crate::operator::Operator;
use crate::structured::Unsupported;
use crate::structured::calls::Argument::{Handle, Index, Tensor};
use crate::types::map_types;

pub(crate) const ZIP_MAP: Operator = Operator {
    types: Some(|node, _| {
        let zip = ZipMap::read(node);
        let labels = Labels::of(zip.classlabels_int64s, zip.classlabels_strings);
        let map = Type::dialect("onnx", "Map", vec![labels.element(), Type::unranked_tensor(Type::F32)]);
        Some(Type::dialect("onnx", "Seq", vec![map]))
    }),
    lower: Some(|lowering, op| {
        let zip = ZipMap::of(lowering.source, op);
        let labels = Labels::of(zip.classlabels_int64s, zip.classlabels_strings);
        if labels.repeat() {
            return Err(Unsupported::invalid("a label occurs twice"));
        }
        let labels = lowering.vector(&labels.elements());
        lowering.call(op, "zip_maps", &[labels, Tensor(zip.x)])
    }),
    ..Operator::of(OnnxOp::MlZipMap)
};

pub(crate) const DICT_VECTORIZER: Operator = Operator {
    types: Some(|node, _| {
        let (_, value) = map_types(node.body.value_type(DictVectorizer::read(node).x))?;
        Some(Type::unranked_tensor(value.element().clone()))
    }),
    shapes: Some(|node| {
        let vectorizer: DictVectorizer = node.view();
        let vocabulary = Labels::of(vectorizer.int64_vocabulary, vectorizer.string_vocabulary);
        Ok(vec![Some(vec![DimExpr::ONE, DimExpr::Constant(vocabulary.len() as i64)])])
    }),
    lower: Some(|lowering, op| {
        let vectorizer = DictVectorizer::of(lowering.source, op);
        let vocabulary = Labels::of(vectorizer.int64_vocabulary, vectorizer.string_vocabulary);
        let vocabulary = lowering.vector(&vocabulary.elements());
        lowering.call(op, "map_look_up", &[Handle(vectorizer.x), vocabulary])
    }),
    ..Operator::of(OnnxOp::MlDictVectorizer)
};

pub(crate) const CAST_MAP: Operator = Operator {
    types: Some(|node, _| {
        Some(Type::unranked_tensor(match CastMap::read(node).cast_to {
            CastMapTarget::ToFloat => Type::F32,
            CastMapTarget::ToInt64 => Type::I64,
            CastMapTarget::ToString => Type::dialect("onnx", "String", vec![]),
        }))
    }),
    shapes: Some(|node| {
        let cast: CastMap = node.view();
        let columns = match cast.map_form {
            MapForm::Dense => node.fresh(0, 1),
            MapForm::Sparse => DimExpr::Constant(cast.max_map),
        };
        Ok(vec![Some(vec![DimExpr::ONE, columns])])
    }),
    lower: Some(|lowering, op| {
        let cast = CastMap::of(lowering.source, op);
        if cast.map_form == MapForm::Sparse && cast.max_map < 1 {
            return Err(Unsupported::invalid(format!("'max_map' is {}, expected a positive number", cast.max_map)));
        }
        let columns = match cast.map_form {
            MapForm::Dense => 0,
            MapForm::Sparse => cast.max_map,
        };
        let columns = lowering.index(columns);
        lowering.call(op, "map_values", &[Handle(cast.x), Index(columns)])
    }),
    ..Operator::of(OnnxOp::MlCastMap)
};
