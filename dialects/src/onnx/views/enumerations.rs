// Generated from the schemas; UPDATE=1 cargo test -p onnxc-dialects regenerates it.
#![allow(missing_docs, reason = "the names are ONNX's")]

use super::Enumeration;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AspectRatioPolicy { Stretch, NotLarger, NotSmaller }
impl Enumeration for AspectRatioPolicy {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "stretch" => AspectRatioPolicy::Stretch, "not_larger" => AspectRatioPolicy::NotLarger, "not_smaller" => AspectRatioPolicy::NotSmaller, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoPad { Notset, SameUpper, SameLower, Valid }
impl Enumeration for AutoPad {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "NOTSET" => AutoPad::Notset, "SAME_UPPER" => AutoPad::SameUpper, "SAME_LOWER" => AutoPad::SameLower, "VALID" => AutoPad::Valid, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode { Linear, Circular }
impl Enumeration for CacheMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "linear" => CacheMode::Linear, "circular" => CacheMode::Circular, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseChange { None, Lower, Upper }
impl Enumeration for CaseChange {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "NONE" => CaseChange::None, "LOWER" => CaseChange::Lower, "UPPER" => CaseChange::Upper, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastMapTarget { ToFloat, ToString, ToInt64 }
impl Enumeration for CastMapTarget {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "TO_FLOAT" => CastMapTarget::ToFloat, "TO_STRING" => CastMapTarget::ToString, "TO_INT64" => CastMapTarget::ToInt64, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConvolutionActivation { None, Silu, Swish }
impl Enumeration for ConvolutionActivation {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "none" => ConvolutionActivation::None, "silu" => ConvolutionActivation::Silu, "swish" => ConvolutionActivation::Swish, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoordinateTransformation { HalfPixel, HalfPixelSymmetric, PytorchHalfPixel, AlignCorners, Asymmetric, TfHalfPixelForNn, TfCropAndResize }
impl Enumeration for CoordinateTransformation {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "half_pixel" => CoordinateTransformation::HalfPixel, "half_pixel_symmetric" => CoordinateTransformation::HalfPixelSymmetric, "pytorch_half_pixel" => CoordinateTransformation::PytorchHalfPixel, "align_corners" => CoordinateTransformation::AlignCorners, "asymmetric" => CoordinateTransformation::Asymmetric, "tf_half_pixel_for_nn" => CoordinateTransformation::TfHalfPixelForNn, "tf_crop_and_resize" => CoordinateTransformation::TfCropAndResize, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DepthOrder { Dcr, Crd }
impl Enumeration for DepthOrder {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "DCR" => DepthOrder::Dcr, "CRD" => DepthOrder::Crd, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction { Forward, Reverse, Bidirectional }
impl Enumeration for Direction {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "forward" => Direction::Forward, "reverse" => Direction::Reverse, "bidirectional" => Direction::Bidirectional, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GeluApproximation { None, Tanh }
impl Enumeration for GeluApproximation {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "none" => GeluApproximation::None, "tanh" => GeluApproximation::Tanh, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridMode { Linear, Nearest, Cubic }
impl Enumeration for GridMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "linear" => GridMode::Linear, "nearest" => GridMode::Nearest, "cubic" => GridMode::Cubic, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GridPadding { Zeros, Border, Reflection }
impl Enumeration for GridPadding {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "zeros" => GridPadding::Zeros, "border" => GridPadding::Border, "reflection" => GridPadding::Reflection, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KernelType { Linear, Poly, Rbf, Sigmoid }
impl Enumeration for KernelType {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "LINEAR" => KernelType::Linear, "POLY" => KernelType::Poly, "RBF" => KernelType::Rbf, "SIGMOID" => KernelType::Sigmoid, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LossReduction { None, Sum, Mean }
impl Enumeration for LossReduction {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "none" => LossReduction::None, "sum" => LossReduction::Sum, "mean" => LossReduction::Mean, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapForm { Dense, Sparse }
impl Enumeration for MapForm {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "DENSE" => MapForm::Dense, "SPARSE" => MapForm::Sparse, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MomentumMode { Nesterov, Standard }
impl Enumeration for MomentumMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "nesterov" => MomentumMode::Nesterov, "standard" => MomentumMode::Standard, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NearestMode { RoundPreferFloor, RoundPreferCeil, Floor, Ceil }
impl Enumeration for NearestMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "round_prefer_floor" => NearestMode::RoundPreferFloor, "round_prefer_ceil" => NearestMode::RoundPreferCeil, "floor" => NearestMode::Floor, "ceil" => NearestMode::Ceil, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norm { Max, L1, L2 }
impl Enumeration for Norm {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "MAX" => Norm::Max, "L1" => Norm::L1, "L2" => Norm::L2, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PadMode { Constant, Reflect, Edge, Wrap }
impl Enumeration for PadMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "constant" => PadMode::Constant, "reflect" => PadMode::Reflect, "edge" => PadMode::Edge, "wrap" => PadMode::Wrap, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PixelFormat { Rgb, Bgr, Grayscale }
impl Enumeration for PixelFormat {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "RGB" => PixelFormat::Rgb, "BGR" => PixelFormat::Bgr, "Grayscale" => PixelFormat::Grayscale, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostTransform { None, Softmax, Logistic, SoftmaxZero, Probit }
impl Enumeration for PostTransform {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "NONE" => PostTransform::None, "SOFTMAX" => PostTransform::Softmax, "LOGISTIC" => PostTransform::Logistic, "SOFTMAX_ZERO" => PostTransform::SoftmaxZero, "PROBIT" => PostTransform::Probit, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResizeMode { Nearest, Linear, Cubic }
impl Enumeration for ResizeMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "nearest" => ResizeMode::Nearest, "linear" => ResizeMode::Linear, "cubic" => ResizeMode::Cubic, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoiCoordinates { HalfPixel, OutputHalfPixel }
impl Enumeration for RoiCoordinates {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "half_pixel" => RoiCoordinates::HalfPixel, "output_half_pixel" => RoiCoordinates::OutputHalfPixel, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoiMode { Avg, Max }
impl Enumeration for RoiMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "avg" => RoiMode::Avg, "max" => RoiMode::Max, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScaleRounding { Up, Down, Nearest }
impl Enumeration for ScaleRounding {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "up" => ScaleRounding::Up, "down" => ScaleRounding::Down, "nearest" => ScaleRounding::Nearest, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScatterReduction { None, Add, Mul, Max, Min }
impl Enumeration for ScatterReduction {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "none" => ScatterReduction::None, "add" => ScatterReduction::Add, "mul" => ScatterReduction::Mul, "max" => ScatterReduction::Max, "min" => ScatterReduction::Min, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShiftDirection { Left, Right }
impl Enumeration for ShiftDirection {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "LEFT" => ShiftDirection::Left, "RIGHT" => ShiftDirection::Right, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateRule { Linear, Gated, Delta, GatedDelta }
impl Enumeration for UpdateRule {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "linear" => UpdateRule::Linear, "gated" => UpdateRule::Gated, "delta" => UpdateRule::Delta, "gated_delta" => UpdateRule::GatedDelta, _ => return None })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightingMode { Tf, Idf, Tfidf }
impl Enumeration for WeightingMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text { "TF" => WeightingMode::Tf, "IDF" => WeightingMode::Idf, "TFIDF" => WeightingMode::Tfidf, _ => return None })
    }
}
