//! The registry of all passes, for the compiler and `onnx-opt`.

use ir::pass::PassRegistry;

/// The passes of all crates, with the named pipelines.
pub fn registry() -> PassRegistry {
    let mut registry = PassRegistry::default();
    registry.extend(ir::transforms::passes());
    registry.extend(dialects::levels::passes());
    registry.extend(operators::passes::passes());
    registry.extend(optimize::passes::passes());
    registry.extend(engine::passes());
    registry.extend(lower::passes::passes());
    lower::passes::pipelines().into_iter().for_each(|pipeline| registry.add_pipeline(pipeline));
    registry
}
