//! Sliding windows: what Conv and the pools share.

use ir::{AffineExpr, Attribute, Attributes, Builder, DimExpr, Value};

use super::reduction::Shaped;
use super::{Lowering, Unsupported};

/// The window of a convolution or pool, one entry a spatial axis.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// Extents of the kernel.
    pub kernel: Vec<i64>,
    /// Distances of neighbouring windows.
    pub strides: Vec<i64>,
    /// Distances of neighbouring kernel elements.
    pub dilations: Vec<i64>,
    /// Padding in front and behind.
    pub pads: Vec<[i64; 2]>,
}

impl Window {
    /// Reads the attributes that Conv and the pools share.
    pub(super) fn of(
        attributes: &Attributes,
        kernel: &[i64],
        input: &[DimExpr],
        output: &[DimExpr],
    ) -> Result<Window, Unsupported> {
        let rank = kernel.len();
        let list = |name: &str| attributes.integers(name).unwrap_or_else(|| vec![1; rank]);
        let (strides, dilations) = (list("strides"), list("dilations"));
        let explicit = attributes.integers("pads").unwrap_or_else(|| vec![0; 2 * rank]);
        let auto = attributes.str("auto_pad").unwrap_or("NOTSET").to_string();
        if explicit.iter().any(|&pad| pad < 0) {
            return Err(Unsupported::new("it has negative padding"));
        }
        let pads = (0..rank)
            .map(|axis| match auto.as_str() {
                "SAME_UPPER" | "SAME_LOWER" => {
                    let reach = DimExpr::Constant((kernel[axis] - 1) * dilations[axis] + 1);
                    let steps = output[axis].sub(&DimExpr::ONE).mul(&DimExpr::Constant(strides[axis]));
                    let total = steps.add(&reach).sub(&input[axis]).as_constant();
                    let total =
                        total.ok_or_else(|| Unsupported::new("its padding depends on the input's extents"))?.max(0);
                    let less = total / 2;
                    Ok(if auto == "SAME_UPPER" { [less, total - less] } else { [total - less, less] })
                }
                "VALID" => Ok([0, 0]),
                _ => Ok([explicit[axis], explicit[rank + axis]]),
            })
            .collect::<Result<_, Unsupported>>()?;
        Ok(Window { kernel: kernel.to_vec(), strides, dilations, pads })
    }

    /// Number of spatial axes.
    pub(super) fn rank(&self) -> usize {
        self.kernel.len()
    }

    /// Whether every output element reads the input element at its own place.
    pub(crate) fn is_pointwise(&self) -> bool {
        let ones = |list: &[i64]| list.iter().all(|&entry| entry == 1);
        ones(&self.kernel) && ones(&self.strides) && self.pads.iter().flatten().all(|&pad| pad == 0)
    }

    /// `output * stride + kernel * dilation` for one axis, given its two loops.
    pub(super) fn subscript(&self, axis: usize, output: usize, kernel: usize) -> AffineExpr {
        let term = |dim: usize, factor: i64| AffineExpr::Dim(dim as u32).mul(AffineExpr::Constant(factor));
        let along = term(output, self.strides[axis]);
        if self.kernel[axis] == 1 { along } else { along.add(term(kernel, self.dilations[axis])) }
    }

    /// The input with padding, spatial axes starting at `first`.
    pub(super) fn pad(&self, lowering: &mut Lowering<'_>, input: &Shaped, first: usize, fill: Value) -> Shaped {
        let mut pads = vec![[0, 0]; input.shape.len()];
        pads[first..first + self.rank()].copy_from_slice(&self.pads);
        lowering.pad(input, &pads, fill)
    }
}

impl Lowering<'_> {
    /// `tensor.pad` with a scalar; `pads` has the padding in front and behind of every axis, none negative.
    pub fn pad(&mut self, input: &Shaped, pads: &[[i64; 2]], fill: Value) -> Shaped {
        if pads.iter().flatten().all(|&pad| pad == 0) {
            return input.clone();
        }
        let shape: Vec<DimExpr> =
            input.shape.iter().zip(pads).map(|(dim, [low, high])| dim.add(&DimExpr::Constant(low + high))).collect();
        let element = self.body.value_type(input.value).element().clone();
        let r#type = self.tensor(&shape, element);
        let side = |side: usize| Attribute::i64_dense_array(&pads.iter().map(|pad| pad[side]).collect::<Vec<_>>());
        let attributes = Attributes::from([
            ("operandSegmentSizes", Attribute::i32_dense_array(&[1, 0, 0])),
            ("static_low", side(0)),
            ("static_high", side(1)),
            ("rt.origin", Attribute::string("pad")),
        ]);
        let op = self.emit("tensor.pad", &[input.value], &[r#type], attributes);
        let indices = vec![ir::Type::Index; shape.len()];
        let at = self.at;
        let mut builder = Builder::at_end(&mut self.body, at);
        let (_, block) = builder.region_with_block(op, &indices);
        builder.within(block, |inner| {
            inner.create("tensor.yield", &[fill], &[], []);
        });
        Shaped { value: self.body.result(op, 0), shape }
    }
}
