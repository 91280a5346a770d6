//! Loops that LLVM must not unroll.

#![allow(
    unsafe_code,
    reason = "a loop's metadata refers to itself, which requires calls that do not check their operands"
)]

use inkwell::context::{AsContextRef, Context};
use inkwell::llvm_sys::core::{LLVMMDNodeInContext2, LLVMMDStringInContext2, LLVMMetadataAsValue, LLVMSetMetadata};
use inkwell::llvm_sys::debuginfo::{LLVMMetadataReplaceAllUsesWith, LLVMTemporaryMDNode};
use inkwell::values::{AsValueRef, InstructionValue};

/// Marks the back edge of a loop that LLVM must not unroll.
pub(crate) fn keep_rolled(context: &Context, branch: InstructionValue<'_>) {
    let kind = context.get_kind_id("llvm.loop");
    let (context, name) = (context.as_ctx_ref(), c"llvm.loop.unroll.disable");
    // SAFETY: all nodes are of this context; the temporary node is freed once it is replaced.
    unsafe {
        let mut hint = LLVMMDStringInContext2(context, name.as_ptr(), name.count_bytes());
        let hint = LLVMMDNodeInContext2(context, &mut hint, 1);
        // the first operand of a loop's metadata is the metadata itself
        let itself = LLVMTemporaryMDNode(context, std::ptr::null_mut(), 0);
        let mut operands = [itself, hint];
        let node = LLVMMDNodeInContext2(context, operands.as_mut_ptr(), operands.len());
        LLVMMetadataReplaceAllUsesWith(itself, node);
        LLVMSetMetadata(branch.as_value_ref(), kind, LLVMMetadataAsValue(context, node));
    }
}
