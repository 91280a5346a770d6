//! ImageDecoder: decodes an image file. Since 20.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, PixelFormat, View};

use crate::operator::Operator;
use crate::structured::calls::Argument::{Index, Tensor};

pub(crate) const IMAGE_DECODER: Operator = Operator {
    shapes: Some(|node| Ok(vec![Some((0..3).map(|axis| node.fresh(0, axis)).collect())])),
    lower: Some(|lowering, op| {
        let decoder = views::ImageDecoder::of(lowering.source, op);
        let format = lowering.index(match decoder.pixel_format {
            PixelFormat::Rgb => 0,
            PixelFormat::Bgr => 1,
            PixelFormat::Grayscale => 2,
        });
        lowering.call(op, "decode_image", &[Tensor(decoder.encoded_stream), Index(format)])
    }),
    ..Operator::of(OnnxOp::ImageDecoder)
};
