//! The public API: compiler, compiled model, session.
