//! The C interface of an object: a description of its model as data, and the functions that the header declares, each
//! of which passes it to the corresponding function of the runtime. The layout is that of `runtime::model::Model`.

use inkwell::AddressSpace;
use inkwell::attributes::{Attribute as FunctionAttribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::module::Linkage;
use inkwell::types::{BasicMetadataTypeEnum, IntType};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, GlobalValue, PointerValue};
use ir::{Diagnostic, Location};

use crate::function::Unit;

/// The interface of an object.
#[derive(Clone, Debug)]
pub struct Interface {
    /// The prefix of its functions' names.
    pub name: String,
    /// The model's inputs.
    pub inputs: Vec<Port>,
    /// The model's outputs.
    pub outputs: Vec<Port>,
    /// The number of extents in a tensor.
    pub max_rank: usize,
    /// The messages of assertions, by status from 1 on.
    pub messages: Vec<String>,
    /// The string constants of the model.
    pub strings: Vec<String>,
    /// The host function of a run.
    pub main: String,
    /// The host function that runs before the first run.
    pub initialize: Option<String>,
    /// The required instruction set level, as in x86-64-v3; 0 for any.
    pub required_level: i64,
    /// The global in which kernels look up the processor's level.
    pub level: Option<String>,
    /// The number of last inputs that are variables of a session; in a training step they are also its last outputs.
    pub variables: usize,
    /// Whether the weights are in a separate file.
    pub loads_weights: bool,
    /// The training functions.
    pub training: Option<Box<Training>>,
}

/// The training functions of a model. Neither part has exported functions.
#[derive(Clone, Debug)]
pub struct Training {
    /// Takes nothing, and returns the variables.
    pub initialize: Interface,
    /// A step. Its messages end with those of the initialization.
    pub step: Interface,
}

/// One input or output.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name.
    pub name: String,
    /// ONNX's name of its element type.
    pub element: String,
    /// Its number in ONNX's `TensorProto.DataType`; 0 if it is not a tensor.
    pub element_type: i64,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Extents; negative ones are dynamic, and equal negative ones stand for equal extents.
    pub shape: Vec<i64>,
    /// The error message for an input of another type or shape.
    pub message: String,
    /// The global with the default elements of an input, and their extents.
    pub initial: Option<(String, Vec<i64>)>,
}

/// A function of the interface: its name, the runtime's function, its parameters after the model, its result.
const FUNCTIONS: [(&str, &[Kind], Option<Kind>); 9] = [
    ("initialize", &[], Some(Kind::Word)),
    ("run", &[Kind::Address, Kind::Address, Kind::Address], Some(Kind::Word)),
    ("run_in_place", &[Kind::Address, Kind::Address, Kind::Address], Some(Kind::Word)),
    ("free", &[Kind::Address], None),
    ("close", &[Kind::Address], None),
    ("message", &[Kind::Word], Some(Kind::Address)),
    ("input", &[Kind::Word], Some(Kind::Address)),
    ("output", &[Kind::Word], Some(Kind::Address)),
    ("set_threads", &[Kind::Word], None),
];

/// The function of a model with weights in a separate file.
const WEIGHTS_FUNCTIONS: [(&str, &[Kind], Option<Kind>); 1] = [("load_weights", &[Kind::Address], Some(Kind::Word))];

/// The functions of a model with training.
const TRAINING_FUNCTIONS: [(&str, &[Kind], Option<Kind>); 5] = [
    ("training_initialize", &[Kind::Address], Some(Kind::Word)),
    ("training_step", &[Kind::Address, Kind::Address, Kind::Address], Some(Kind::Word)),
    ("training_message", &[Kind::Word], Some(Kind::Address)),
    ("training_input", &[Kind::Word], Some(Kind::Address)),
    ("training_output", &[Kind::Word], Some(Kind::Address)),
];

/// The runtime's function that builds the buffer of a value.
const EXPORT: &str = "rt_model_value";

#[derive(Clone, Copy)]
enum Kind {
    Word,
    Address,
}

impl Interface {
    /// The exported functions.
    pub fn exports(&self) -> Vec<String> {
        self.functions().map(|(function, ..)| format!("{}_{function}", self.name)).collect()
    }

    /// The globals with the default elements of inputs.
    pub fn defaults(&self) -> Vec<String> {
        let parts = self.training.iter().flat_map(|training| [&training.initialize, &training.step]);
        let inputs = parts.chain([self]).flat_map(|part| &part.inputs);
        inputs.filter_map(|port| port.initial.as_ref().map(|(name, _)| name.clone())).collect()
    }

    fn functions(&self) -> impl Iterator<Item = &'static (&'static str, &'static [Kind], Option<Kind>)> {
        let weights = self.loads_weights.then_some(&WEIGHTS_FUNCTIONS);
        let training = self.training.iter().map(|_| &TRAINING_FUNCTIONS[..]);
        FUNCTIONS.iter().chain(weights.into_iter().flatten()).chain(training.flatten())
    }
}

/// Adds an interface to a module with its host functions.
pub(crate) fn define(unit: &Unit<'_>, interface: &Interface) -> Result<(), Diagnostic> {
    let failed = |what: String| Diagnostic::internal(Location::Unknown, format!("the interface: {what}"));
    let model = Data { unit }.model(interface).ok_or_else(|| failed("a function or global is missing".into()))?;
    for &(name, parameters, result) in interface.functions() {
        stub(unit, &format!("{}_{name}", interface.name), &format!("rt_model_{name}"), model, parameters, result)
            .map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}

/// `NAME_x(…)` is `rt_model_x(model, …)`.
fn stub<'c>(
    unit: &Unit<'c>,
    name: &str,
    routine: &str,
    model: GlobalValue<'c>,
    parameters: &[Kind],
    result: Option<Kind>,
) -> Result<(), inkwell::builder::BuilderError> {
    let context = unit.context;
    let of = |kind: &Kind| -> BasicMetadataTypeEnum<'c> {
        match kind {
            Kind::Word => context.i64_type().into(),
            Kind::Address => context.ptr_type(AddressSpace::default()).into(),
        }
    };
    let own: Vec<_> = parameters.iter().map(of).collect();
    let all: Vec<_> = std::iter::once(of(&Kind::Address)).chain(own.iter().copied()).collect();
    let r#type = |parameters: &[BasicMetadataTypeEnum<'c>]| match result {
        None => context.void_type().fn_type(parameters, false),
        Some(Kind::Word) => context.i64_type().fn_type(parameters, false),
        Some(Kind::Address) => context.ptr_type(AddressSpace::default()).fn_type(parameters, false),
    };
    let callee = unit.module.add_function(routine, r#type(&all), None);
    let function = unit.module.add_function(name, r#type(&own), None);
    let plain = FunctionAttribute::get_named_enum_kind_id("nounwind");
    function.add_attribute(AttributeLoc::Function, context.create_enum_attribute(plain, 0));
    let builder = context.create_builder();
    builder.position_at_end(context.append_basic_block(function, ""));
    let arguments: Vec<BasicMetadataValueEnum<'_>> = std::iter::once(model.as_pointer_value().into())
        .chain(function.get_param_iter().map(BasicMetadataValueEnum::from))
        .collect();
    let call = builder.build_call(callee, &arguments, "")?;
    match call.try_as_basic_value().basic() {
        Some(value) => builder.build_return(Some(&value))?,
        None => builder.build_return(None)?,
    };
    Ok(())
}

/// Constants of a module.
struct Data<'u, 'c> {
    unit: &'u Unit<'c>,
}

impl<'c> Data<'_, 'c> {
    fn context(&self) -> &'c Context {
        self.unit.context
    }

    fn word_type(&self) -> IntType<'c> {
        self.context().i64_type()
    }

    fn word(&self, value: i64) -> BasicValueEnum<'c> {
        self.word_type().const_int(value as u64, true).into()
    }

    fn null(&self) -> PointerValue<'c> {
        self.context().ptr_type(AddressSpace::default()).const_null()
    }

    fn global(&self, value: BasicValueEnum<'c>, is_constant: bool) -> GlobalValue<'c> {
        let global = self.unit.module.add_global(value.get_type(), None, "interface");
        global.set_linkage(Linkage::Private);
        global.set_constant(is_constant);
        global.set_initializer(&value);
        global
    }

    fn text(&self, text: &str) -> BasicValueEnum<'c> {
        let bytes = self.context().const_string(text.as_bytes(), true);
        self.global(bytes.into(), true).as_pointer_value().into()
    }

    fn texts(&self, texts: &[String]) -> BasicValueEnum<'c> {
        let texts: Vec<_> = texts.iter().map(|text| self.text(text)).collect();
        self.address_of(self.context().const_struct(&texts, false).into())
    }

    fn address_of(&self, value: BasicValueEnum<'c>) -> BasicValueEnum<'c> {
        self.global(value, true).as_pointer_value().into()
    }

    fn words(&self, words: &[i64]) -> BasicValueEnum<'c> {
        let words: Vec<_> = words.iter().map(|&word| self.word(word)).collect();
        self.address_of(self.context().const_struct(&words, false).into())
    }

    fn data(&self, name: &str) -> Option<BasicValueEnum<'c>> {
        Some(self.unit.module.get_global(name)?.as_pointer_value().into())
    }

    fn port(&self, port: &Port) -> Option<BasicValueEnum<'c>> {
        let (initial, initial_shape) = match &port.initial {
            Some((name, shape)) => (self.data(name)?, self.words(shape)),
            None => (self.null().into(), self.null().into()),
        };
        let fields = [
            self.text(&port.name),
            self.text(&port.element),
            self.word(port.element_bytes as i64),
            self.word(port.shape.len() as i64),
            self.words(&port.shape),
            self.text(&port.message),
            initial,
            initial_shape,
            self.word(port.element_type),
        ];
        Some(self.context().const_struct(&fields, false).into())
    }

    fn ports(&self, ports: &[Port]) -> Option<BasicValueEnum<'c>> {
        let ports: Vec<_> = ports.iter().map(|port| self.port(port)).collect::<Option<_>>()?;
        Some(self.address_of(self.context().const_struct(&ports, false).into()))
    }

    fn host(&self, name: &str) -> Option<BasicValueEnum<'c>> {
        Some(self.unit.module.get_function(name)?.as_global_value().as_pointer_value().into())
    }

    /// The function that builds the buffer of an output that is not a tensor; null if there are no such outputs.
    fn export(&self, interface: &Interface) -> BasicValueEnum<'c> {
        if interface.outputs.iter().all(|port| port.element_type != 0) {
            return self.null().into();
        }
        let word = self.word_type().into();
        let r#type = self.context().ptr_type(AddressSpace::default()).fn_type(&[word, word], false);
        let module = &self.unit.module;
        let function = module.get_function(EXPORT).unwrap_or_else(|| module.add_function(EXPORT, r#type, None));
        function.as_global_value().as_pointer_value().into()
    }

    fn model(&self, interface: &Interface) -> Option<GlobalValue<'c>> {
        let initialize = match &interface.initialize {
            Some(name) => self.host(name)?,
            None => self.null().into(),
        };
        let level = interface.level.as_ref().and_then(|name| self.data(name));
        let training = match &interface.training {
            Some(training) => {
                let parts = [self.model(&training.initialize)?, self.model(&training.step)?];
                let parts = parts.map(|part| part.as_pointer_value().into());
                self.address_of(self.context().const_struct(&parts, false).into())
            }
            None => self.null().into(),
        };
        let weights = self.unit.weights.as_ref();
        let fields = [
            self.ports(&interface.inputs)?,
            self.word(interface.inputs.len() as i64),
            self.ports(&interface.outputs)?,
            self.word(interface.outputs.len() as i64),
            self.word(interface.max_rank as i64),
            self.texts(&interface.messages),
            self.word(interface.messages.len() as i64),
            self.texts(&interface.strings),
            self.word(interface.strings.len() as i64),
            self.host(&interface.main)?,
            initialize,
            self.word(interface.required_level),
            level.unwrap_or(self.null().into()),
            self.global(self.word(0), false).as_pointer_value().into(),
            self.word(interface.variables as i64),
            training,
            self.export(interface),
            weights.map_or(self.null().into(), |weights| weights.address.as_pointer_value().into()),
            self.word(weights.map_or(0, |weights| weights.file.checksum as i64)),
            self.word(weights.map_or(0, |weights| weights.file.length as i64)),
        ];
        Some(self.global(self.context().const_struct(&fields, false).into(), true))
    }
}
