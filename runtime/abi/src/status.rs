//! How a run ends.

/// The ends of a run other than a message of the model: 0 is success, and status `n` above 0 is the model's message `n - 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(i64)]
pub enum Status {
    /// No memory is left.
    OutOfMemory = -1,
    /// The model, which is without a runtime, has not been initialised.
    NotInitialized = -2,
    /// A routine of the runtime panicked.
    Routine = -3,
    /// The processor lacks instructions that the code needs.
    Processor = -4,
    /// A training function assigns a value of another shape to a variable.
    Variable = -5,
    /// Another thread uses the session.
    Busy = -6,
    /// An entry point of code without a runtime was passed a null address.
    NoAddress = -7,
    /// The run's deadline has passed, or it was cancelled.
    Stopped = -8,
    /// The model's weights are in a file that has not been loaded.
    NoWeights = -9,
    /// The file of weights cannot be read, or is that of another model.
    Weights = -10,
    /// A dimension of a run without a runtime is negative or above its bound.
    Extent = -11,
    /// The first input has a type or shape that the model does not take; the other inputs follow downwards.
    Input = -1000,
}

impl Status {
    /// Every status.
    pub const ALL: [Status; 12] = [
        Status::OutOfMemory,
        Status::NotInitialized,
        Status::Routine,
        Status::Processor,
        Status::Variable,
        Status::Busy,
        Status::NoAddress,
        Status::Stopped,
        Status::NoWeights,
        Status::Weights,
        Status::Extent,
        Status::Input,
    ];

    /// The number that generated code and C see.
    pub const fn code(self) -> i64 {
        self as i64
    }

    /// The status of a number, and for [`Status::Input`] of which input; `None` for success and messages of the model.
    pub fn of(code: i64) -> Option<(Status, usize)> {
        if code <= Status::Input.code() {
            return Some((Status::Input, (Status::Input.code() - code) as usize));
        }
        Status::ALL.into_iter().find(|status| status.code() == code).map(|status| (status, 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_statuses() {
        for status in Status::ALL {
            assert_eq!(Status::of(status.code()), Some((status, 0)));
        }
        assert_eq!(Status::of(-1002), Some((Status::Input, 2)));
        assert_eq!([Status::of(0), Status::of(3)], [None, None]);
    }
}
