//! Every exported symbol by name.

use crate::{calls, clock, context, elementary, kernels, pages, parts, pool, scratch};

macro_rules! symbol_table {
    ($($module:ident: $($name:ident)*;)*) => {
        /// Name and address of every `rt_` symbol, for linking generated code in process.
        pub fn symbols() -> Vec<(&'static str, *const u8)> {
            vec![$($((stringify!($name), $module::$name as *const u8),)*)*]
        }
    };
}

symbol_table! {
    pool: rt_parallel_for rt_set_threads rt_begin_run rt_end_run;
    clock: rt_ticks;
    context: rt_arena rt_allocate rt_scope_begin rt_scope_end rt_handles_begin rt_handles_end rt_append rt_copy rt_output rt_fail rt_out_of_bounds rt_check_stop;
    calls:
        rt_call_non_zero rt_call_compress rt_call_unique rt_call_top_k rt_call_non_max_suppression
        rt_call_scatter_elements rt_call_scatter_nd rt_call_write_rows rt_call_cumulate
        rt_call_concat_strings rt_call_normalize_strings rt_call_split_strings rt_call_match_strings
        rt_call_tokenize_strings
        rt_call_format_numbers rt_call_parse_numbers rt_call_look_up rt_call_count_terms
        rt_call_sequence_empty rt_call_sequence_insert rt_call_sequence_erase rt_call_sequence_at rt_call_sequence_length
        rt_call_sequence_split rt_call_sequence_concat rt_call_optional_none rt_call_optional_of_tensor
        rt_call_optional_of_value rt_call_optional_has_value rt_call_optional_tensor rt_call_optional_value
        rt_call_fourier rt_call_trees rt_call_columns_to_image rt_call_determinant rt_call_align_regions
        rt_call_pool_regions rt_call_winograd_points rt_call_decode_image rt_call_zip_maps rt_call_map_look_up rt_call_map_values
        rt_call_inverse rt_call_relayout rt_call_scaled_relayout;
    pages: rt_discard;
    parts: rt_winograd_parts;
    scratch: rt_scratch;
    kernels: rt_contract_f32 rt_contract_f32_transposed rt_contract_f32_f16 rt_contract_f32_bf16 rt_contract_f64 rt_contract_u8_i8 rt_contract_blocks
        rt_depthwise_f32 rt_winograd_f32 rt_map_row rt_requantize_row rt_add_bytes_row rt_look_up_row rt_copy_row rt_fold_row rt_fold_windows
        rt_prepare_places rt_gather_row rt_move rt_pad rt_check_call;
    elementary:
        rt_exp_f64 rt_exp2_f64 rt_expm1_f64 rt_log_f64 rt_log2_f64 rt_log10_f64 rt_log1p_f64
        rt_sin_f64 rt_cos_f64 rt_tan_f64 rt_asin_f64 rt_acos_f64 rt_atan_f64
        rt_sinh_f64 rt_cosh_f64 rt_tanh_f64 rt_asinh_f64 rt_acosh_f64 rt_atanh_f64
        rt_erf_f64 rt_cbrt_f64 rt_sin_f32 rt_cos_f32 rt_tan_f32
        rt_ceil_f32 rt_floor_f32 rt_trunc_f32 rt_roundeven_f32
        rt_ceil_f64 rt_floor_f64 rt_trunc_f64 rt_roundeven_f64
        rt_pow_f32 rt_pow_f64 rt_fmod_f32 rt_fmod_f64 rt_atan2_f32 rt_atan2_f64 rt_fma_f32 rt_fma_f64
        rt_f16_to_f32 rt_f32_to_f16 rt_f64_to_f16 rt_f32_to_bf16 rt_f64_to_bf16;
}
