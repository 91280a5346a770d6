//! The function that detects the level of an x86-64 processor, for code without a runtime.
//!
//! Levels are those of `runtime/src/processor.rs`. A level counts only if the operating system saves its registers.

use dialects::rt::DETECT_LEVEL;
use inkwell::IntPredicate;
use inkwell::attributes::AttributeLoc;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::module::Linkage;
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, CallSiteValue, FunctionValue, IntValue};
use ir::Diagnostic;

use crate::architecture::is_for_x86;
use crate::emit::internal;
use crate::function::Unit;

/// Words with a bit for each feature: ECX of leaf 1, EBX of leaf 7, ECX of leaf 0x8000_0001, and XCR0, the registers that the
/// operating system saves.
const WORDS: usize = 4;
/// The bit of the first word that states whether XCR0 can be read.
const OSXSAVE: u32 = 27;
/// The bits that each level above the first one adds.
const LEVELS: [[u32; WORDS]; 3] = [
    // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT
    [bits(&[0, 9, 13, 19, 20, 23]), 0, 0, 0],
    // FMA, MOVBE, XSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; vectors of 128 and of 256 bits
    [bits(&[12, 22, 26, 28, 29]), bits(&[3, 5, 8]), bits(&[5]), bits(&[1, 2])],
    // AVX-512 F, DQ, CD, BW, VL; masks, the lower 16 vectors of 512 bits, the others
    [0, bits(&[16, 17, 28, 30, 31]), 0, bits(&[5, 6, 7])],
];

/// A register that CPUID writes, as an index of its results.
#[derive(Clone, Copy)]
enum Register {
    Eax,
    Ebx,
    Ecx,
}

const fn bits(positions: &[u32]) -> u32 {
    let (mut all, mut at) = (0, 0);
    while at < positions.len() {
        all |= 1 << positions[at];
        at += 1;
    }
    all
}

/// Defines the function in a module for x86-64 that calls it.
pub(crate) fn define_detection(unit: &Unit<'_>) -> Result<(), Diagnostic> {
    match unit.module.get_function(DETECT_LEVEL) {
        Some(function) if is_for_x86(&unit.module) => {
            unit.attributes.iter().for_each(|own| function.add_attribute(AttributeLoc::Function, *own));
            function.set_linkage(Linkage::Internal);
            let builder = unit.context.create_builder();
            let detection = Detection { context: unit.context, builder, function };
            detection.build().map_err(|error| internal(format!("LLVM: {error}")))
        }
        Some(_) | None => Ok(()),
    }
}

/// The function under construction.
struct Detection<'c> {
    context: &'c Context,
    builder: Builder<'c>,
    function: FunctionValue<'c>,
}

impl<'c> Detection<'c> {
    fn build(&self) -> Result<(), BuilderError> {
        let [entry, save, end] = [(); 3].map(|()| self.context.append_basic_block(self.function, ""));
        self.builder.position_at_end(entry);
        let [basic, more, extended] = self.features()?;
        let readable = self.has(basic, bits(&[OSXSAVE]))?;
        self.builder.build_conditional_branch(readable, save, end)?;
        self.builder.position_at_end(save);
        let saved = self.saved()?;
        self.builder.build_unconditional_branch(end)?;
        self.builder.position_at_end(end);
        let registers = self.builder.build_phi(self.context.i32_type(), "")?;
        registers.add_incoming(&[(&self.word(0), entry), (&saved, save)]);
        let registers = registers.as_basic_value().into_int_value();
        let level = self.level([basic, more, extended, registers])?;
        self.builder.build_return(Some(&level)).map(drop)
    }

    /// The words that CPUID returns.
    fn features(&self) -> Result<[IntValue<'c>; 3], BuilderError> {
        let last = self.identify(0, Register::Eax)?;
        let basic = self.identify(1, Register::Ecx)?;
        // a leaf after the last one has the contents of another
        let exists = self.builder.build_int_compare(IntPredicate::UGE, last, self.word(7), "")?;
        let more = self.identify(7, Register::Ebx)?;
        let more = self.builder.build_select(exists, more, self.word(0), "")?.into_int_value();
        Ok([basic, more, self.identify(0x8000_0001, Register::Ecx)?])
    }

    /// The highest level all of whose bits are set, and those of the levels below it.
    fn level(&self, words: [IntValue<'c>; WORDS]) -> Result<IntValue<'c>, BuilderError> {
        let wide = self.context.i64_type();
        let (mut level, mut reached) = (wide.const_int(1, false), self.context.bool_type().const_all_ones());
        for needed in LEVELS {
            for (word, mask) in words.into_iter().zip(needed) {
                reached = self.builder.build_and(reached, self.has(word, mask)?, "")?;
            }
            level = self.builder.build_int_add(level, self.builder.build_int_z_extend(reached, wide, "")?, "")?;
        }
        Ok(level)
    }

    /// Whether all bits of a mask are set.
    fn has(&self, word: IntValue<'c>, mask: u32) -> Result<IntValue<'c>, BuilderError> {
        let mask = self.word(mask);
        self.builder.build_int_compare(IntPredicate::EQ, self.builder.build_and(word, mask, "")?, mask, "")
    }

    /// A register after CPUID, for a leaf and its first subleaf.
    fn identify(&self, leaf: u32, register: Register) -> Result<IntValue<'c>, BuilderError> {
        let word = self.context.i32_type();
        let results = self.context.struct_type(&[word.into(); 4], false);
        let r#type = results.fn_type(&[word.into(); 2], false);
        let constraints = "={ax},={bx},={cx},={dx},0,2";
        let assembly =
            self.context.create_inline_asm(r#type, "cpuid".into(), constraints.into(), true, false, None, false);
        let operands = [self.word(leaf), self.word(0)].map(BasicMetadataValueEnum::from);
        let call = self.builder.build_indirect_call(r#type, assembly, &operands, "")?;
        let results = result(call).into_struct_value();
        Ok(self.builder.build_extract_value(results, register as u32, "")?.into_int_value())
    }

    /// The low word of XCR0.
    fn saved(&self) -> Result<IntValue<'c>, BuilderError> {
        let word = self.context.i32_type();
        let r#type = word.fn_type(&[word.into()], false);
        let constraints = "={ax},{cx},~{dx}";
        let assembly =
            self.context.create_inline_asm(r#type, "xgetbv".into(), constraints.into(), true, false, None, false);
        let call = self.builder.build_indirect_call(r#type, assembly, &[self.word(0).into()], "")?;
        Ok(result(call).into_int_value())
    }

    fn word(&self, value: u32) -> IntValue<'c> {
        self.context.i32_type().const_int(value.into(), false)
    }
}

fn result(call: CallSiteValue<'_>) -> BasicValueEnum<'_> {
    call.try_as_basic_value().basic().expect("the assembly has results")
}
