//! The low level to CLIF and machine code.
