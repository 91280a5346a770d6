//! Bodies for routines whose feature this build is without. The compiler refuses models that call them.

use abi::Status;

use super::{Call, Outcome};

fn refuse(call: &mut Call<'_>) -> Outcome {
    call.context.fail(Status::Routine);
    Ok(())
}

#[cfg(not(feature = "image"))]
pub(super) fn decode_image(call: &mut Call<'_>) -> Outcome {
    refuse(call)
}

#[cfg(not(feature = "regex"))]
pub(super) fn match_strings(call: &mut Call<'_>) -> Outcome {
    refuse(call)
}

#[cfg(not(feature = "regex"))]
pub(super) fn tokenize_strings(call: &mut Call<'_>) -> Outcome {
    refuse(call)
}
