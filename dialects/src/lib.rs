//! The operations of every dialect.
