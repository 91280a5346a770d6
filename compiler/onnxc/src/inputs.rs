//! Inputs and output buffers in the caller's memory.

use driver::Type;

use crate::tensor::extents;
use crate::{Element, ElementType, Error, Result, Tensor, Value};

/// An input of a run: a value, or a view of elements that the caller owns.
#[derive(Clone)]
pub struct Input<'a>(Kind<'a>);

#[derive(Clone)]
enum Kind<'a> {
    Value(driver::Value),
    View(TensorView<'a>),
}

/// A view of a tensor's elements in row-major order, which the caller owns. A run reads them in place.
///
/// ```
/// # fn main() -> Result<(), onnxc::Error> {
/// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
/// #     negate (float[N] x) => (float[N] y) { y = Neg(x) }"#;
/// # let mut session = onnxc::Compiler::new().compile(&onnxc::Model::from_bytes(text)?)?.session();
/// let samples = vec![1.0f32, 2.0, 3.0];
/// let outputs = session.run([("x", onnxc::TensorView::from_slice(&[3], &samples)?)])?;
/// assert_eq!(outputs["y"].as_slice::<f32>()?, [-1.0, -2.0, -3.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct TensorView<'a> {
    element: Type,
    shape: Vec<i64>,
    bytes: &'a [u8],
}

impl<'a> TensorView<'a> {
    /// A view of a slice.
    ///
    /// # Errors
    /// If the shape does not have this many elements.
    pub fn from_slice<T: Element>(shape: &[usize], elements: &'a [T]) -> Result<TensorView<'a>> {
        TensorView::from_bytes(T::TYPE, shape, bytemuck::cast_slice(elements))
    }

    /// A view of elements' bytes, little-endian.
    ///
    /// # Errors
    /// If the shape does not have this many bytes, or for strings.
    pub fn from_bytes(element: ElementType, shape: &[usize], bytes: &'a [u8]) -> Result<TensorView<'a>> {
        let mismatch = || Error::input(format!("{} bytes are not a {element} {shape:?}", bytes.len()));
        let (shape, inner) = (extents(shape).ok_or_else(mismatch)?, element.inner().ok_or_else(mismatch)?);
        if driver::byte_count(&inner, &shape) != Some(bytes.len()) {
            return Err(mismatch());
        }
        if element == ElementType::Bool && bytes.iter().any(|&byte| byte > 1) {
            return Err(Error::input("a bool is a byte that is neither 0 nor 1"));
        }
        Ok(TensorView { element: inner, shape, bytes })
    }

    /// Extents, outermost first.
    pub fn shape(&self) -> Vec<usize> {
        self.shape.iter().map(|&extent| usize::try_from(extent).unwrap_or(0)).collect()
    }

    /// Extents as C has them.
    pub(crate) fn extents(&self) -> &[i64] {
        &self.shape
    }

    /// The type of the elements.
    pub fn element_type(&self) -> ElementType {
        ElementType::of(&self.element)
    }

    /// The bytes of the elements, little-endian.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// A copy of the elements in row-major order.
    ///
    /// # Errors
    /// If the elements have another type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let found = self.element_type();
        if found != T::TYPE {
            return Err(Error::input(format!("the tensor is {found}, not {}", T::TYPE)));
        }
        let element = |bytes: &[u8]| bytemuck::checked::try_pod_read_unaligned(bytes);
        let elements: Result<Vec<T>, _> = self.bytes.chunks_exact(size_of::<T>()).map(element).collect();
        elements.map_err(|error| Error::input(format!("the tensor has elements that are not {}: {error}", T::TYPE)))
    }

    #[cfg(feature = "ndarray")]
    /// A view of an array.
    ///
    /// # Errors
    /// If the array is not in standard layout: row-major and contiguous.
    pub fn from_array<T: Element, S: ndarray::Data<Elem = T>, D: ndarray::Dimension>(
        array: &'a ndarray::ArrayBase<S, D>,
    ) -> Result<TensorView<'a>> {
        let elements = array.as_slice().ok_or_else(|| Error::input("the array is not in standard layout"))?;
        TensorView::from_slice(array.shape(), elements)
    }
}

impl Input<'_> {
    pub(crate) fn inner(&self) -> driver::Input<'_> {
        match &self.0 {
            Kind::Value(value) => driver::Input::Value(value),
            Kind::View(TensorView { element, shape, bytes }) => driver::Input::Elements { element, shape, bytes },
        }
    }
}

impl<'a> From<TensorView<'a>> for Input<'a> {
    fn from(view: TensorView<'a>) -> Input<'a> {
        Input(Kind::View(view))
    }
}

impl<'a> From<&'a Tensor> for Input<'a> {
    fn from(tensor: &'a Tensor) -> Input<'a> {
        Input(Kind::Value(driver::Value::Tensor(tensor.inner().clone())))
    }
}

impl From<Tensor> for Input<'_> {
    fn from(tensor: Tensor) -> Self {
        Input(Kind::Value(driver::Value::Tensor(tensor.inner().clone())))
    }
}

impl<'a> From<&'a Value> for Input<'a> {
    fn from(value: &'a Value) -> Input<'a> {
        Input(Kind::Value(value.inner()))
    }
}

impl From<Value> for Input<'_> {
    fn from(value: Value) -> Self {
        Input(Kind::Value(value.inner()))
    }
}

/// A view of a run's input; `None` if it is not a tensor of numbers or booleans.
pub(crate) fn view_of(input: driver::Input<'_>) -> Option<TensorView<'_>> {
    match input {
        driver::Input::Elements { element, shape, bytes } => {
            Some(TensorView { element: element.clone(), shape: shape.to_vec(), bytes })
        }
        driver::Input::Value(driver::Value::Tensor(tensor)) => {
            tensor.element.byte_width()?;
            Some(TensorView {
                element: tensor.element.clone(),
                shape: tensor.shape.clone(),
                bytes: tensor.data.bytes(),
            })
        }
        driver::Input::Value(_) => None,
    }
}

/// Memory of the caller that a run writes an output's elements to, in row-major order.
pub struct OutputBuffer<'a> {
    pub(crate) element: ElementType,
    pub(crate) bytes: &'a mut [u8],
}

impl<'a> OutputBuffer<'a> {
    /// A buffer for elements of some type, little-endian. Strings cannot be written to a buffer.
    pub fn from_bytes(element: ElementType, bytes: &'a mut [u8]) -> OutputBuffer<'a> {
        OutputBuffer { element, bytes }
    }
}

impl<'a, T: Element + bytemuck::Pod> From<&'a mut [T]> for OutputBuffer<'a> {
    fn from(elements: &'a mut [T]) -> OutputBuffer<'a> {
        OutputBuffer { element: T::TYPE, bytes: bytemuck::cast_slice_mut(elements) }
    }
}
