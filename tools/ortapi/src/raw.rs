//! The boundary to C: converts arguments from C to Rust types.
//!
//! Contract: the caller follows ONNX Runtime's header. A handle was created by this library and has not been released; an array has
//! the documented number of elements; a string is terminated; the memory that an argument points to is valid, and is not written by
//! another thread, until the function returns. Null pointers and strings that are not UTF-8 are allowed: they are reported as
//! `INVALID_ARGUMENT`. An enumeration may have any value. The types of this module do not outlive the call.

#![allow(unsafe_code, reason = "this module is the boundary")]

use std::any::Any;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use ort_sys::{OrtErrorCode, OrtLoggingFunction, OrtStatusPtr};

use crate::status::{Result, Status};

/// A Rust type for an argument from C.
pub(crate) trait Argument: Sized {
    /// The argument's type in the function table.
    type Raw;
    /// The type that the function receives: ABI-compatible with `Raw`, and valid for every value that C may pass.
    type Received;

    /// Converts the argument. `place` is its name in error messages.
    ///
    /// # Safety
    /// The contract at the head.
    unsafe fn receive(received: Self::Received, place: &'static str) -> Result<Self>;
}

/// A type that is an opaque handle in C.
pub(crate) trait Handle: Sized {
    /// The opaque type.
    type Opaque;
}

/// Declares the opaque types of handles.
macro_rules! handles {
    ($($own:ty => $opaque:ident),* $(,)?) => {$(
        impl $crate::raw::Handle for $own {
            type Opaque = ort_sys::$opaque;
        }
    )*};
}

/// Defines functions of the table as constants with their C names. The body returns a `Result`; for a function without a status it
/// returns a value, and `else` is the value if an argument is invalid or the body panics.
macro_rules! entries {
    () => {};
    ($(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block $($rest:tt)*) => {
        entries! {
            @define [$(#[$meta])*] $name [$($argument: $type),*] ort_sys::OrtStatusPtr,
            [$crate::status::Result<()>] $body, $crate::raw::answer
        }
        entries! { $($rest)* }
    };
    (
        $(#[$meta:meta])* fn $name:ident($($argument:ident: $type:ty),* $(,)?) -> $result:ty $body:block
        else $other:block $($rest:tt)*
    ) => {
        entries! {
            @define [$(#[$meta])*] $name [$($argument: $type),*] $result,
            [$crate::status::Result<$result>] { Ok($body) }, |_, body| $crate::raw::value(|| $other, body)
        }
        entries! { $($rest)* }
    };
    (
        @define [$(#[$meta:meta])*] $name:ident [$($argument:ident: $type:ty),*] $result:ty,
        [$outcome:ty] $body:block, $finish:expr
    ) => {
        $(#[$meta])*
        #[allow(unsafe_code, unused_unsafe, non_upper_case_globals, reason = "the macro is a part of the boundary")]
        #[allow(clippy::too_many_arguments, clippy::useless_transmute, reason = "C decides what the arguments are")]
        pub(crate) const $name: unsafe extern "system" fn($(<$type as $crate::raw::Argument>::Raw),*) -> $result = {
            unsafe extern "system" fn entry(
                $($argument: <$type as $crate::raw::Argument>::Received),*
            ) -> $result {
                fn body($($argument: $type),*) -> $outcome $body
                // SAFETY: the contract of `raw`, which C callers keep.
                $finish(stringify!($name), || unsafe {
                    body($($crate::raw::Argument::receive(
                        $argument,
                        concat!(stringify!($name), ": ", stringify!($argument)),
                    )?),*)
                })
            }
            // SAFETY: `Received` is passed as `Raw` is.
            unsafe {
                std::mem::transmute::<
                    unsafe extern "system" fn($(<$type as $crate::raw::Argument>::Received),*) -> $result,
                    unsafe extern "system" fn($(<$type as $crate::raw::Argument>::Raw),*) -> $result,
                >(entry)
            }
        };
    };
}

/// Runs the body of a function that returns a status.
pub(crate) fn answer(name: &str, body: impl FnOnce() -> Result<()>) -> OrtStatusPtr {
    let outcome = catch_unwind(AssertUnwindSafe(body));
    let outcome = outcome.unwrap_or_else(|payload| Err(of_panic(name, &*payload)));
    outcome.map_or_else(Status::into_raw, |()| OrtStatusPtr::default())
}

/// Runs the body of a function without a status.
pub(crate) fn value<T>(other: impl Fn() -> T, body: impl FnOnce() -> Result<T>) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| Ok(other())).unwrap_or_else(|_| other())
}

fn of_panic(name: &str, payload: &(dyn Any + Send)) -> Status {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    Status::new(OrtErrorCode::ORT_FAIL, format!("{name}: a bug of this library: {text}"))
}

fn null(place: &str) -> Status {
    Status::invalid(format!("{place} is null"))
}

/// Returns an error for a null pointer.
fn present<T>(pointer: *const T, place: &str) -> Result<*const T> {
    if pointer.is_null() { Err(null(place)) } else { Ok(pointer) }
}

impl<T: Handle> Argument for &T {
    type Raw = *const T::Opaque;
    type Received = *const T::Opaque;

    unsafe fn receive(received: Self::Received, place: &'static str) -> Result<Self> {
        // SAFETY: the contract at the head.
        Ok(unsafe { &*present(received, place)?.cast::<T>() })
    }
}

impl<T: Handle> Argument for Option<&T> {
    type Raw = *const T::Opaque;
    type Received = *const T::Opaque;

    unsafe fn receive(received: Self::Received, _: &'static str) -> Result<Self> {
        // SAFETY: the contract at the head.
        Ok(unsafe { received.cast::<T>().as_ref() })
    }
}

impl<T: Handle> Argument for &mut T {
    type Raw = *mut T::Opaque;
    type Received = *mut T::Opaque;

    unsafe fn receive(received: Self::Received, place: &'static str) -> Result<Self> {
        present(received, place)?;
        // SAFETY: the contract at the head.
        Ok(unsafe { &mut *received.cast::<T>() })
    }
}

/// A handle that is passed as a pointer to mutable, but that several threads may use at the same time.
pub(crate) struct Shared<'a, T>(&'a T);

impl<T> Deref for Shared<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0
    }
}

impl<T: Handle> Argument for Shared<'_, T> {
    type Raw = *mut T::Opaque;
    type Received = *mut T::Opaque;

    unsafe fn receive(received: Self::Received, place: &'static str) -> Result<Self> {
        // SAFETY: the contract at the head.
        unsafe { <&T>::receive(received, place) }.map(Shared)
    }
}

/// A handle that its owner releases: the value is dropped. Null is allowed.
pub(crate) struct Released<T>(PhantomData<Box<T>>);

impl<T: Handle> Argument for Released<T> {
    type Raw = *mut T::Opaque;
    type Received = *mut T::Opaque;

    unsafe fn receive(received: Self::Received, _: &'static str) -> Result<Self> {
        if !received.is_null() {
            // SAFETY: the contract at the head; `own` made it from a box.
            drop(unsafe { Box::from_raw(received.cast::<T>()) });
        }
        Ok(Released(PhantomData))
    }
}

/// Passes the ownership of a value to C.
pub(crate) fn own<T: Handle>(value: T) -> *mut T::Opaque {
    Box::into_raw(Box::new(value)).cast()
}

/// The value of a handle that C passes back with its ownership; `None` for null.
pub(crate) fn taken<T: Handle>(handle: *mut T::Opaque) -> Option<T> {
    // SAFETY: the contract at the head; `own` made it from a box.
    (!handle.is_null()).then(|| *unsafe { Box::from_raw(handle.cast::<T>()) })
}

/// A pointer to a value that stays owned by this library.
pub(crate) fn lent<T: Handle>(value: &T) -> *const T::Opaque {
    std::ptr::from_ref(value).cast()
}

/// Implements [`Argument`] for types that are passed unchanged.
macro_rules! plain {
    ($($type:ty),* $(,)?) => {$(
        impl Argument for $type {
            type Raw = $type;
            type Received = $type;

            unsafe fn receive(received: $type, _: &'static str) -> Result<$type> {
                Ok(received)
            }
        }
    )*};
}

plain! {
    usize, i64, c_int, u32, *mut c_void, *const ort_sys::OrtCustomOp, *mut ort_sys::OrtSessionOptions, *mut ort_sys::OrtSyncStream, ort_sys::RunAsyncCallbackFn,
    ort_sys::OrtCustomCreateThreadFn, ort_sys::OrtCustomJoinThreadFn,
}

impl Argument for bool {
    type Raw = bool;
    type Received = MaybeUninit<bool>;

    unsafe fn receive(received: MaybeUninit<bool>, _: &'static str) -> Result<bool> {
        // SAFETY: C passes a byte.
        Ok(unsafe { received.as_ptr().cast::<u8>().read() } != 0)
    }
}

/// An enumeration, as an integer.
pub(crate) struct Enum<T>(pub(crate) c_int, PhantomData<T>);

impl<T> Argument for Enum<T> {
    type Raw = T;
    type Received = MaybeUninit<T>;

    unsafe fn receive(received: MaybeUninit<T>, _: &'static str) -> Result<Self> {
        const { assert!(size_of::<T>() == size_of::<c_int>()) };
        // SAFETY: C passes an int.
        Ok(Enum(unsafe { received.as_ptr().cast::<c_int>().read() }, PhantomData))
    }
}

impl Argument for Option<OrtLoggingFunction> {
    type Raw = OrtLoggingFunction;
    type Received = Option<OrtLoggingFunction>;

    unsafe fn receive(received: Self::Received, _: &'static str) -> Result<Self> {
        Ok(received)
    }
}

/// A string.
#[derive(Clone, Copy)]
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        self.0
    }
}

impl<'a> Text<'a> {
    /// A string from C.
    pub(crate) fn of(pointer: *const c_char, place: &str) -> Result<Text<'a>> {
        // SAFETY: the contract at the head.
        let text = unsafe { CStr::from_ptr(present(pointer, place)?) };
        text.to_str().map(Text).map_err(|_| Status::invalid(format!("{place} is not UTF-8")))
    }
}

impl Argument for Text<'_> {
    type Raw = *const c_char;
    type Received = *const c_char;

    unsafe fn receive(received: *const c_char, place: &'static str) -> Result<Self> {
        Text::of(received, place)
    }
}

impl Argument for Option<Text<'_>> {
    type Raw = *const c_char;
    type Received = *const c_char;

    unsafe fn receive(received: *const c_char, place: &'static str) -> Result<Self> {
        if received.is_null() { Ok(None) } else { Text::of(received, place).map(Some) }
    }
}

/// The path of a file.
pub(crate) struct FilePath<'a>(pub(crate) &'a Path);

impl Argument for FilePath<'_> {
    type Raw = *const c_char;
    type Received = *const c_char;

    unsafe fn receive(received: *const c_char, place: &'static str) -> Result<Self> {
        // SAFETY: the contract at the head.
        let text = unsafe { CStr::from_ptr(present(received, place)?) };
        Ok(FilePath(Path::new(OsStr::from_bytes(text.to_bytes()))))
    }
}

/// An array, whose length is another argument.
pub(crate) struct List<'a, T> {
    first: *const T,
    place: &'static str,
    lifetime: PhantomData<&'a T>,
}

impl<T> Argument for List<'_, T> {
    type Raw = *const T;
    type Received = *const T;

    unsafe fn receive(received: *const T, place: &'static str) -> Result<Self> {
        Ok(List { first: received, place, lifetime: PhantomData })
    }
}

impl<'a, T> List<'a, T> {
    /// The elements. An empty array may be null.
    pub(crate) fn read(&self, count: usize) -> Result<&'a [T]> {
        if count == 0 {
            return Ok(&[]);
        }
        // SAFETY: the contract at the head.
        Ok(unsafe { std::slice::from_raw_parts(present(self.first, self.place)?, count) })
    }
}

impl<'a> List<'a, *const c_char> {
    /// The elements of an array of strings.
    pub(crate) fn texts(&self, count: usize) -> Result<Vec<&'a str>> {
        self.read(count)?.iter().map(|&text| Text::of(text, self.place).map(|text| text.0)).collect()
    }
}

impl<'a> List<'a, c_void> {
    /// The bytes at an address.
    pub(crate) fn bytes(&self, count: usize) -> Result<&'a [u8]> {
        let bytes = List { first: self.first.cast::<u8>(), place: self.place, lifetime: PhantomData };
        bytes.read(count)
    }
}

impl<'a, C> List<'a, *const C> {
    /// The elements of an array of handles, some of which may be null.
    pub(crate) fn handles<T: Handle<Opaque = C>>(&self, count: usize) -> Result<Vec<Option<&'a T>>> {
        // SAFETY: the contract at the head.
        Ok(self.read(count)?.iter().map(|handle| unsafe { handle.cast::<T>().as_ref() }).collect())
    }
}

/// An array in the caller's memory that the function writes, whose length is another argument.
pub(crate) struct Space<'a, T> {
    first: *mut T,
    place: &'static str,
    lifetime: PhantomData<&'a mut T>,
}

impl<T> Argument for Space<'_, T> {
    type Raw = *mut T;
    type Received = *mut T;

    unsafe fn receive(received: *mut T, place: &'static str) -> Result<Self> {
        Ok(Space { first: received, place, lifetime: PhantomData })
    }
}

impl<'a, T: Copy> Space<'a, T> {
    fn list(&self) -> List<'a, T> {
        List { first: self.first.cast_const(), place: self.place, lifetime: PhantomData }
    }

    /// The value before the call.
    pub(crate) fn read(&self, count: usize) -> Result<&'a [T]> {
        self.list().read(count)
    }

    /// Writes values, for which there must be enough memory.
    pub(crate) fn write(&self, values: &[T]) -> Result<()> {
        if !values.is_empty() {
            present(self.first, self.place)?;
            // SAFETY: the contract at the head.
            unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.first, values.len()) };
        }
        Ok(())
    }
}

impl<'a> Space<'a, *const c_char> {
    /// The elements of an array of strings that is passed as a pointer to mutable.
    pub(crate) fn texts(&self, count: usize) -> Result<Vec<&'a str>> {
        self.list().texts(count)
    }
}

impl<T: Copy> Space<'_, T> {
    /// Whether the pointer is null, which asks for the required size.
    pub(crate) fn is_null(&self) -> bool {
        self.first.is_null()
    }

    /// Writes all values, or only returns their number if the pointer is null. `size` is the room before the call, and the number
    /// of values after it.
    pub(crate) fn fill(&self, values: &[T], size: &Out<usize>) -> Result<()> {
        let given = size.get();
        size.set(values.len())?;
        match self.is_null() {
            true => Ok(()),
            false if given < values.len() => {
                Err(Status::invalid(format!("the result takes {} elements, the memory has {given}", values.len())))
            }
            false => self.write(values),
        }
    }
}

impl Space<'_, c_char> {
    /// Writes bytes and a terminator, as [`Space::fill`] does.
    pub(crate) fn fill_text(&self, bytes: &[u8], size: &Out<usize>) -> Result<()> {
        let text: Vec<c_char> = bytes.iter().chain(&[0]).map(|&byte| byte as c_char).collect();
        self.fill(&text, size)
    }
}

impl Space<'_, c_void> {
    /// Writes bytes, for which there must be enough memory.
    pub(crate) fn write_bytes(&self, bytes: &[u8]) -> Result<()> {
        Space { first: self.first.cast::<u8>(), place: self.place, lifetime: PhantomData }.write(bytes)
    }
}

impl<'a, C> Space<'a, *mut C> {
    /// The elements of an array of handles.
    pub(crate) fn slots(&self, count: usize) -> Result<&'a mut [*mut C]> {
        if count == 0 {
            return Ok(&mut []);
        }
        present(self.first, self.place)?;
        // SAFETY: the contract at the head.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.first, count) })
    }
}

/// The value of a handle, which may be null.
pub(crate) fn behind<'a, T: Handle>(handle: *const T::Opaque) -> Option<&'a T> {
    // SAFETY: the contract at the head.
    unsafe { handle.cast::<T>().as_ref() }
}

/// A result by pointer.
pub(crate) struct Out<T>(*mut T);

impl<T> Argument for Out<T> {
    type Raw = *mut T;
    type Received = *mut T;

    unsafe fn receive(received: *mut T, place: &'static str) -> Result<Self> {
        present(received, place)?;
        Ok(Out(received))
    }
}

impl<T: Copy> Out<T> {
    /// Writes the result.
    pub(crate) fn set(&self, value: T) -> Result<()> {
        // SAFETY: the contract at the head.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// The value before the call.
    pub(crate) fn get(&self) -> T {
        // SAFETY: the contract at the head.
        unsafe { self.0.read() }
    }
}

impl<C> Out<*mut C> {
    /// Passes the ownership of a value to the caller.
    pub(crate) fn give<T: Handle<Opaque = C>>(&self, value: T) -> Result<()> {
        self.set(own(value))
    }
}

impl<C> Out<*const C> {
    /// Writes a pointer to a value that stays owned by this library; null for `None`.
    pub(crate) fn lend<T: Handle<Opaque = C>>(&self, value: Option<&T>) -> Result<()> {
        self.set(value.map_or(std::ptr::null(), lent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::ReleaseStatus;

    #[test]
    fn a_panic_is_a_status() {
        let status = answer("Run", || panic!("{} is wrong", 7));
        let own = behind::<Status>(status.0).expect("it is there");
        assert_eq!(own.message(), "Run: a bug of this library: 7 is wrong");
        // SAFETY: it is released once.
        unsafe { ReleaseStatus(status.0) };
        assert_eq!(value(|| 5, || panic!("without a status")), 5);
    }
}
