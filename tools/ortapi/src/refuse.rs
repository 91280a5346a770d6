//! Table entries of unsupported functions.

#![allow(unsafe_code, reason = "an entry is an unsafe function of C, though these do nothing with their arguments")]

use ort_sys::OrtStatusPtr;

use crate::status::Status;

/// The name of an unsupported function.
pub(crate) trait Named {
    /// Table and name in ONNX Runtime's header.
    const NAME: &'static str;
}

/// A function type with an entry for the unsupported function `N`. The entry returns a status that names the function, or does nothing
/// if the function returns no status.
pub(crate) trait Refusal<N> {
    /// The entry.
    const ENTRY: Self;
}

macro_rules! refusals {
    ($($argument:ident)*) => {
        impl<N: Named, $($argument),*> Refusal<N> for unsafe extern "system" fn($($argument),*) -> OrtStatusPtr {
            const ENTRY: Self = {
                unsafe extern "system" fn refuse<N: Named, $($argument),*>($(_: $argument),*) -> OrtStatusPtr {
                    refused::<N>()
                }
                refuse::<N, $($argument),*>
            };
        }

        impl<N: Named, $($argument),*> Refusal<N> for unsafe extern "system" fn($($argument),*) {
            const ENTRY: Self = {
                unsafe extern "system" fn refuse<$($argument),*>($(_: $argument),*) {}
                refuse::<$($argument),*>
            };
        }
    };
}

refusals! {}
refusals! { A }
refusals! { A B }
refusals! { A B C }
refusals! { A B C D }
refusals! { A B C D E }
refusals! { A B C D E F }
refusals! { A B C D E F G }
refusals! { A B C D E F G H }
refusals! { A B C D E F G H I }
refusals! { A B C D E F G H I J }
refusals! { A B C D E F G H I J K }
refusals! { A B C D E F G H I J K L }

fn refused<N: Named>() -> OrtStatusPtr {
    Status::refused(format!("{} is not implemented by onnxc, which compiles models for the CPU", N::NAME)).into_raw()
}

/// The entry of an unsupported function; its type is inferred from the table.
macro_rules! refuse {
    ($table:ident $name:ident) => {{
        struct Function;
        impl $crate::refuse::Named for Function {
            const NAME: &'static str = concat!(stringify!($table), "::", stringify!($name));
        }
        $crate::refuse::Refusal::<Function>::ENTRY
    }};
}
