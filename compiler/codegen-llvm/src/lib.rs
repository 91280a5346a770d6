//! The low level to LLVM IR and object files.
