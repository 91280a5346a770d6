//! The greedy rewriter and the pass manager, on a test dialect.

use ir::pass::{Choice, Filter, Pass, PassDefinition, PassManager, PassOption, PassOptions};
use ir::pass::{PassRegistry, Pipeline, PipelineDefinition, Timings};
use ir::rewrite::{Pattern, PatternSet, Rewriter, rewrite_greedily};
use ir::{Arity, ErrorClass, Module, Op, OpDefinition, Registry, Trait};

const MODULE: &str = r#""builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: i32):
    %a = "toy.wrap"(%x) : (i32) -> i32
    %b = "toy.wrap"(%a) : (i32) -> i32
    %unused = "toy.wrap"(%b) : (i32) -> i32
    "toy.end"(%b) : (i32) -> ()
  }) {sym_name = "f", function_type = (i32) -> ()} : () -> ()
}) : () -> ()
"#;

fn registry() -> Registry {
    let (none, one) = (Arity::exactly(0), Arity::exactly(1));
    let mut registry = Registry::default();
    registry.extend([
        OpDefinition::new("toy.wrap", "A value.", one, one).with_traits(&[Trait::Pure]),
        OpDefinition::new("toy.bare", "A value.", one, one).with_traits(&[Trait::Pure]),
        OpDefinition::new("toy.end", "Ends a function.", one, none).with_traits(&[Trait::Terminator]),
    ]);
    registry
}

fn module() -> Module {
    ir::parse_module(MODULE, "test.mlir", Some(&registry())).expect("parses")
}

fn names(module: &Module) -> Vec<String> {
    let body = module.function("f").expect("there is one").body;
    body.walk_all().into_iter().map(|op| body.name(op).to_string()).collect()
}

fn to_bare(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    let operand = rewriter.body().operand(op, 0);
    let r#type = rewriter.body().value_type(operand).clone();
    let bare = rewriter.value_before(op, "toy.bare", &[operand], r#type, []);
    rewriter.replace(op, &[bare]);
    true
}

fn unwrap_value(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    let operand = rewriter.body().operand(op, 0);
    rewriter.replace(op, &[operand]);
    true
}

fn rewrite(module: &mut Module, patterns: &[Pattern], fuel: usize) -> ir::rewrite::Outcome {
    let function = module.symbol("f").expect("there is one");
    let body = module.function_body_mut(function).expect("has a body");
    rewrite_greedily(body, &registry(), &PatternSet::new(patterns.iter().copied()), fuel)
}

const BARE: Pattern = Pattern { name: "bare", root: "toy.wrap", benefit: 1, apply: to_bare };
const UNWRAP: Pattern = Pattern { name: "unwrap", root: "toy.wrap", benefit: 2, apply: unwrap_value };

#[test]
fn patterns_of_most_benefit_go_first_and_dead_operations_go() {
    let mut module = module();
    let outcome = rewrite(&mut module, &[BARE, UNWRAP], 100);
    assert_eq!(names(&module), ["toy.end"]);
    assert!(outcome.converged);
    assert_eq!(outcome.changes, 3);
}

#[test]
fn rewriting_stops_when_the_fuel_is_spent() {
    let mut module = module();
    let outcome = rewrite(&mut module, &[BARE], 1);
    assert_eq!(names(&module), ["toy.bare", "toy.wrap", "toy.wrap", "toy.end"]);
    assert!(!outcome.converged);
    ir::verify(&module, &registry()).expect("the module is valid at every moment");
}

#[test]
fn a_pattern_that_goes_on_for_ever_ends() {
    let again = Pattern { name: "again", root: "toy.bare", benefit: 1, apply: to_bare };
    let outcome = rewrite(&mut module(), &[BARE, again], 1000);
    assert!(!outcome.converged);
}

static PANIC: PassDefinition = PassDefinition::on_module("panic", "Panics.", |_, _| panic!("out of order"));
static BREAK: PassDefinition =
    PassDefinition::on_functions("break", "Leaves a function without its end.", |body, _| {
        let end = body.entry().and_then(|entry| body.terminator(entry)).expect("the function ends");
        body.erase(end);
        Ok(())
    });
static NOTHING: PassDefinition = PassDefinition::on_functions("nothing", "Does nothing.", |_, _| Ok(()));
static CHOOSE: PassDefinition<Chosen> =
    PassDefinition::on_module("choose", "Fails unless blue.", |_, context| match context.options.colour {
        Colour::Blue => Ok(()),
        Colour::Red => Err(ir::Diagnostic::internal(ir::Location::Unknown, "red").into()),
    });

#[derive(Clone, Default)]
struct Chosen {
    colour: Colour,
    is_loud: bool,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Colour {
    #[default]
    Red,
    Blue,
}

impl Choice for Colour {
    const CHOICES: &'static [(&'static str, Colour)] = &[("red", Colour::Red), ("blue", Colour::Blue)];
}

impl PassOptions for Chosen {
    const OPTIONS: &'static [PassOption<Chosen>] = &[
        PassOption { name: "colour", summary: "Which.", field: |options| &mut options.colour },
        PassOption { name: "loud", summary: "Whether it is.", field: |options| &mut options.is_loud },
    ];
}

fn passes() -> PassRegistry {
    let mut passes = PassRegistry::default();
    let all: [Pass; 4] = [&PANIC, &BREAK, &NOTHING, &CHOOSE];
    passes.extend(all);
    passes.add_pipeline(PipelineDefinition { name: "both", summary: "Two.", passes: vec!["nothing", "choose"] });
    passes
}

#[test]
fn options_are_set_by_name() {
    assert!(run("choose{colour=blue loud=true},both{colour=blue}").is_ok());
    assert_eq!(run("choose").expect_err("fails")[0].message, "red");
    let message = |pipeline: &str| run(pipeline).expect_err("fails")[0].message.clone();
    assert_eq!(
        message("choose{colour=green}"),
        "pass 'choose': option 'colour' must be one of red, blue, found 'green'"
    );
    assert_eq!(message("both{loud=1}"), "pipeline 'both': option 'loud' must be 'true' or 'false', found '1'");
    assert_eq!(message("both{size=1}"), "pipeline 'both': 'size' is not an option");
}

fn run(pipeline: &str) -> ir::Result<Timings> {
    let (registry, passes) = (registry(), passes());
    let pipeline = Pipeline::parse(pipeline, &passes)?;
    let manager = PassManager { verify_each: true, print_before: Filter::None, ..PassManager::new(&registry) };
    let mut timings = Timings::default();
    manager.run(&mut module(), &pipeline, &mut timings).map(|()| timings)
}

#[test]
fn a_panic_is_an_error_that_names_the_pass() {
    let errors = run("panic").expect_err("fails");
    assert_eq!(errors[0].message, "pass 'panic' panicked: out of order");
    assert_eq!(errors[0].class, ErrorClass::Internal);
}

#[test]
fn an_invalid_module_is_the_fault_of_the_pass() {
    let errors = run("nothing,break,nothing").expect_err("fails");
    assert_eq!(errors[0].class, ErrorClass::Internal);
    assert_eq!(errors[0].notes, ["after pass 'break'"]);
}

#[test]
fn every_pass_is_timed() {
    let timings = run("builtin.module(func.func(nothing,nothing),nothing)").expect("runs");
    assert_eq!(timings.0.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["nothing"; 3]);
}

#[test]
fn pipelines_are_printed_as_they_are_read() {
    for text in [
        "builtin.module()",
        "builtin.module(panic,func.func(nothing,break),func.func(nothing),choose{colour=blue loud=true})",
    ] {
        assert_eq!(Pipeline::parse(text, &passes()).expect("parses").to_string(), text);
    }
}
