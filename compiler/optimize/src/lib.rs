//! Equality saturation on the graph level.
