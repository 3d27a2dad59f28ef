// The rewrites of Theano 1.0 and PyTensor 3.3 by name, and what there is here in their place.
#pragma once

#include <span>
#include <string_view>

namespace gnomon {

struct ForeignRewrite {
  /// One or more names, separated by blanks: of one rewrite, or of several with the same answer.
  /// "f_*" stands for the many that do the same for one operation each.
  std::string_view names;
  /// Rules here, separated by blanks; none where `remark` says why.
  std::string_view rules;
  std::string_view remark;
};

struct ForeignFamily {
  std::string_view title;
  std::span<const ForeignRewrite> rewrites;
};

namespace foreign {

// Remarks that stand more than once.
inline constexpr std::string_view
    same_node = "equal expressions are one node, always",
    index_arithmetic = "kernels do movements as arithmetic on indices",
    fusion = "code generation: fusion partitions the graph as it is",
    memory = "code generation: memory is planned after fusion",
    extents = "extents are polynomials, known when a node is made",
    one_form = "there is one op for it, so nothing is to be chosen",
    no_sparse = "there are no sparse arrays",
    no_random = "draws are expressions of a counter: there is no state to be put in order",
    no_named = "there are no named axes",
    one_device = "code generation lowers one graph for each device: nothing is lifted or moved",
    other_backend = "there is one back end",
    batched = "ops of matrices take leading axes themselves: there is no wrapper of a batch";

inline constexpr ForeignRewrite algebra[] = {
    {"local_add_canonizer", "collect_terms add_zero ordered_operands", ""},
    {"local_mul_canonizer",
     "collect_factors cancel_quotient multiply_one divide divide_reciprocal quotient_times_divisor "
     "square_quotient reciprocal_quotient",
     ""},
    {"local_neg_to_mul", "negative_product negative_constant",
     "the other way round: signs stand before products"},
    {"local_mul_zero", "multiply_zero", ""},
    {"local_pow_canonicalize", "power_zero power_one", ""},
    {"local_inv_canon local_reciprocal_canon", "power_reciprocal", ""},
    {"local_intdiv_by_one local_div_by_one", "floor_divide_one", ""},
    {"local_zero_div", "zero_divided", ""},
    {"local_greedy_distributor", "common_denominator",
     "else products are not distributed over sums: that rounds more"},
    {"local_div_switch_sink local_mul_switch_sink", "",
     "a cotangent carries the mask of the branch, so 0 * inf does not arise"},
    {"local_merge_switch_same_cond", "", "code generation: the choices are in one kernel anyway"},
    {"local_useless_switch", "choose_true choose_false choose_same choose_then choose_else", ""},
    {"local_abs_lift local_abs_merge", "absolute_of_non_negative even_of_absolute",
     "else an absolute value is one instruction, wherever it stands"},
    {"local_upcast_elemwise_constant_inputs", "fold",
     "numbers take their dtype when a node is made"},
    {"local_cast_cast", "cast_of_cast", ""},
    {"local_func_inv",
     "exp_log log_exp exp2_log2 log2_exp2 expm1_log1p log1p_expm1 sin_arcsin cos_arccos tan_arctan "
     "erf_erfinv erfinv_erf erfc_erfcinv ndtr_ndtri ndtri_ndtr",
     ""},
    {"useless_Arccosh_of_Cosh", "arccosh_cosh", ""},
    {"useless_Arcsinh_of_Sinh", "arcsinh_sinh", ""},
    {"useless_Arctanh_of_Tanh", "arctanh_tanh", ""},
    {"useless_Cosh_of_Arccosh", "cosh_arccosh", ""},
    {"useless_Sinh_of_Arcsinh", "sinh_arcsinh", ""},
    {"useless_Tanh_of_Arctanh", "tanh_arctanh", ""},
    {"useless_Neg_of_Neg local_neg_neg", "negative_twice", ""},
    {"useless_Reciprocal_of_Reciprocal", "reciprocal_twice", ""},
    {"useless_Conj_of_Conj local_useless_conj", "negative_twice",
     "complex numbers are pairs of real ones before any rule looks"},
    {"local_useless_elemwise",
     "add_zero multiply_one equal_self not_equal_self and_self and_true and_false or_self or_true "
     "or_false xor_self minimum_same maximum_same",
     ""},
    {"local_useless_elemwise_comparison",
     "less_self greater_self less_equal_self greater_equal_self",
     "comparisons of extents are polynomials"},
    {"local_add_specialize local_add_remove_zeros", "add_zero", ""},
    {"local_mul_specialize", "multiply_one multiply_zero negative_product", ""},
    {"local_mul_to_sqr", "collect_factors", ""},
    {"local_pow_specialize",
     "square power_sqrt power_rsqrt power_reciprocal power_reciprocal_square power_exp2", ""},
    {"local_pow_specialize_device local_pow_to_nested_squaring", "cube fourth_power",
     "kernels square higher powers in pairs of numbers"},
    {"local_div_to_inv local_div_to_reciprocal", "reciprocal", ""},
    {"local_neg_div_neg", "negative_dividend negative_divisor negative_reciprocal", ""},
    {"local_elemwise_sub_zeros", "collect_terms", ""},
    {"local_expm1", "expm1 minus_expm1 exp_expm1", ""},
    {"topo_constant_folding constant_fold_branches_of_add_mul",
     "fold collect_terms collect_factors", ""},
    {"remove_tensor_copy local_view_op", "", "there are no copies and views among expressions"},
    {"merge", "", same_node},
    {"local_sign_div", "", "a sign is one instruction"},
    {"local_sub_neg_to_add", "add_negative negative_twice", ""},
    {"local_add_neg_to_sub", "subtract negative_sum", ""},
    {"local_sum_of_neg_to_neg_of_sum", "sum_of_negative mean_of_negative", ""},
    {"local_mul_exp_to_exp_add", "exp_times_inverse",
     "only where the sum is 0: else its rounding errs more than the product"},
    {"local_mul_pow_to_pow_add",
     "product_of_powers base_times_power power_over_base power_of_power", ""},
    {"local_div_exp_to_mul_exp", "exp_negative times_exp_negative", ""},
    {"local_sqrt_sqr", "absolute square_sqrt", ""},
    {"local_polygamma_to_digamma local_polygamma_to_tri_gamma", "",
     "`polygamma` chooses when it is called: its order is a number"},
    {"local_useless_2f1grad_loop split_2f1grad_loop", "", "there is no hypergeometric function"},
};

inline constexpr ForeignRewrite stability[] = {
    {"local_log1p", "log1p", ""},
    {"local_log_add local_log_add_exp", "logaddexp", ""},
    {"local_log_sum_exp", "logsumexp log_mean_exp", ""},
    {"local_log_erfc", "log_erfc", ""},
    {"local_grad_log_erfc_neg", "exp_over_erfc scaled_exp_over_erfc", ""},
    {"local_one_plus_erf", "erfc_negative", ""},
    {"local_one_minus_erf local_one_minus_erf2 local_one_plus_neg_erf", "erfc", ""},
    {"local_erf_minus_one", "minus_erfc", ""},
    {"local_erf_neg_minus_one local_erf_neg_minus_one2", "erfc_negative negative_sum", ""},
    {"local_one_minus_erfc local_one_minus_erfc2 local_one_minus_erfc3 local_one_add_neg_erfc "
     "local_one_add_neg_erfc2",
     "erf", ""},
    {"logsigm_to_softplus", "log_sigmoid", ""},
    {"log1msigm_to_softplus", "one_minus_sigmoid log_sigmoid", ""},
    {"log1pexp_to_softplus", "softplus log1p_exp", ""},
    {"log1p_neg_sigmoid", "log1p_negative_sigmoid", ""},
    {"local_log1p_plusminus_exp", "log1p_exp log1mexp", ""},
    {"local_exp_over_1_plus_exp", "sigmoid_exp times_sigmoid times_sigmoid_negative", ""},
    {"local_inv_1_plus_exp local_reciprocal_1_plus_exp", "sigmoid sigmoid_negative", ""},
    {"local_sigm_times_exp", "exp_sigmoid exp_square_sigmoid", ""},
    {"local_1msigmoid", "one_minus_sigmoid", ""},
    {"crossentropy_to_crossentropy_with_softmax "
     "crossentropy_to_crossentropy_with_softmax_with_bias "
     "local_advanced_indexing_crossentropy_onehot local_advanced_indexing_crossentropy_onehot_grad "
     "local_softmax_grad_to_crossentropy_with_softmax_grad "
     "graph_merge_softmax_with_crossentropy_softmax "
     "local_useless_crossentropy_softmax_1hot_with_bias_dx_alloc",
     "log_softmax cotangent_of_softmax written_indicator sum_of_indicator",
     "the loss and its gradient stay expressions, which fusion puts together"},
    {"local_softmax_with_bias", "", fusion},
    {"local_logsoftmax local_logsoftmax_grad", "log_softmax cotangent_of_softmax", ""},
    {"local_argmax_pushdown", "place_of_extremum", ""},
    {"local_hard_sigmoid local_ultra_fast_sigmoid", "", "functions are not replaced by others"},
    {"local_exp_log", "exp_log log_exp log1p_expm1 expm1_log1p exp_log1p exp_log1mexp", ""},
    {"local_exp_log_nan_switch", "exp_log exp_log1p",
     "without the choice: x < 0 is a point these rules except"},
    {"local_log_div", "arctanh_of_log arctanh_of_negative_log",
     "else a difference of logarithms cancels where the quotient is near 1"},
    {"local_log_sqrt", "log_sqrt", ""},
    {"local_log_prod_to_sum_log local_log_prod_sqr", "log_of_prod log_square", ""},
    {"local_log_pow", "log_power log_square", ""},
    {"logmexpm1_to_log1mexp", "log1mexp_expm1", ""},
    {"logdiffexp_to_log1mexpdiff", "log_difference_of_exp", ""},
    {"local_log_iv", "log_ive", ""},
    {"local_log_kv", "log_kve", ""},
    {"local_softmax_stabilize", "softmax softmax_shift", ""},
    {"local_log_softmax_from_logsumexp", "log_softmax_difference log_softmax_shift", ""},
    {"local_exp_log_softmax", "exp_log_softmax", ""},
    {"local_odds_sigmoid local_inv_odds_sigmoid", "odds_of_sigmoid", ""},
    {"local_sigmoid_logit", "sigmoid_logit sigmoid_log_odds", ""},
};

inline constexpr ForeignRewrite shapes[] = {
    {"local_fill_sink local_second_sink", "elementwise_of_broadcast", ""},
    {"local_fill_to_alloc local_second_to_alloc", "",
     "a filled array is a broadcast as it is made"},
    {"local_useless_fill local_useless_alloc local_canonicalize_alloc local_merge_alloc",
     "broadcast", ""},
    {"local_elemwise_alloc local_alloc_unary", "elementwise_of_broadcast", ""},
    {"local_alloc_empty_to_zeros", "", "there are no arrays without values"},
    {"local_incsubtensor_of_zeros local_incsubtensor_of_zeros_to_setsubtensor "
     "local_add_of_sparse_write",
     "sum_with_written_zeros", ""},
    {"local_setsubtensor_of_constants", "write_of_all fold", ""},
    {"local_useless_inc_subtensor_alloc", "", fusion},
    {"local_shape_to_shape_i local_track_shape_i local_Shape_i_ground local_Shape_of_SpecifyShape "
     "local_subtensor_shape_constant local_useless_specify_shape "
     "local_merge_consecutive_specify_shape local_specify_shape_alloc "
     "local_subtensor_SpecifyShape_lift "
     "local_lift_specify_shape_elemwise local_lift_specify_shape_inc_subtensor",
     "", extents},
    {"local_subtensor_make_vector", "slice_of_concatenate", ""},
    {"local_dimshuffle_lift local_reshape_lift local_flatten_lift local_reshape_to_dimshuffle", "",
     index_arithmetic},
    {"local_useless_dimshuffle_in_reshape local_useless_expand_dims_in_reshape local_reshape_chain "
     "local_useless_reshape local_reshape_dimshuffle local_fuse_expand_dims_reshape "
     "local_fuse_squeeze_reshape local_join_dims local_split_dims",
     "reshape", ""},
    {"local_tensor_scalar_tensor local_scalar_tensor_scalar", "", "numbers are arrays of rank 0"},
    {"local_useless_rebroadcast local_rebroadcast_lift", "", "extents of 1 are part of a type"},
    {"local_join_1 local_join_empty local_join_make_vector", "joined_parts", ""},
    {"local_useless_split", "slice", "parts are slices"},
    {"local_useless_tile", "broadcast reshape", "tiles are a broadcast under another shape"},
    {"local_dimshuffle_alloc local_alloc_dimshuffle local_alloc_sink_dimshuffle "
     "local_useless_dimshuffle_makevector",
     "movement_of_number broadcast", ""},
    {"local_dimshuffle_subtensor", "slice_of_transpose slice_of_reshape", ""},
    {"local_remove_useless_assert", "check_true", ""},
    {"local_remove_all_assert", "", "a check that fails is an error"},
    {"local_join_of_alloc", "", index_arithmetic},
    {"local_join_subtensors", "concatenate_of_slices", ""},
    {"local_join_to_repeat", "", "each part is written once either way"},
    {"local_sum_make_vector", "reduce_stack", ""},
    {"local_Unique_scalar local_Unique_lift", "",
     "`unique` is a sort and differences of neighbours"},
};

inline constexpr ForeignRewrite indexing[] = {
    {"local_useless_slice local_useless_subtensor local_subtensor_remove_broadcastable_index "
     "local_subtensor_merge local_subtensor_merge_slice local_subtensor_merge_integer",
     "slice", ""},
    {"local_subtensor_lift", "slice_of_elementwise index_of_elementwise", ""},
    {"local_subtensor_of_batch_dims local_blockwise_of_subtensor",
     "slice_of_elementwise slice_of_product slice_of_softmax", ""},
    {"local_subtensor_of_expand_dims local_subtensor_of_squeeze", "slice_of_reshape", ""},
    {"local_subtensor_of_transpose", "slice_of_transpose index_of_transpose", ""},
    {"local_subtensor_of_reduce", "slice_of_reduction", ""},
    {"local_subtensor_of_softmax", "slice_of_softmax", ""},
    {"local_subtensor_of_join", "slice_of_concatenate", ""},
    {"local_subtensor_of_adv_subtensor", "index_of_index",
     "a slice of what indices read is computed where it is used"},
    {"local_subtensor_of_dot", "slice_of_product", ""},
    {"local_advanced_subtensor_of_dot", "diagonal_of_product",
     "rows at indices may be more than there are, and each is a copy"},
    {"local_subtensor_of_alloc", "slice_of_broadcast movement_of_number", ""},
    {"local_subtensor_inc_subtensor local_read_of_write_same_indices local_slice_read_of_write "
     "local_advanced_read_of_write_constant_indices",
     "slice_of_write index_of_write",
     "integer arrays only where they are known to be distinct and inside: a rule drops no error"},
    {"local_adv_sub1_adv_inc_sub1", "index_of_write", ""},
    {"local_useless_inc_subtensor", "write_of_all", ""},
    {"local_set_to_inc_subtensor", "", "a set that reads the same places is the same kernel"},
    {"local_IncSubtensor_serialize", "sum_with_written_zeros", ""},
    {"local_write_of_write_same_indices", "write_of_write", ""},
    {"local_adv_idx_to_slice", "index_of_runs", ""},
    {"local_adv_idx_to_diagonal", "", "`diagonal` is an index by two ranges"},
    {"local_convert_negative_indices local_uint_constant_indices", "",
     "numbers are turned when an index is built"},
    {"bool_idx_to_nonzero", "", "a mask becomes places when an index is built"},
};

inline constexpr ForeignRewrite reductions[] = {
    {"local_sum_prod_mul_by_scalar local_sum_prod_div_dimshuffle local_sum_prod_of_mul_or_div",
     "factor_out_of_sum", "numbers only: other factors are multiplied in the kernel that sums"},
    {"local_op_of_op local_reduce_chain", "reduce_chain", ""},
    {"local_sum_prod_all_to_none", "", "a reduction lists its axes, always"},
    {"local_opt_alloc local_careduce_of_alloc", "reduce_broadcast", ""},
    {"local_reduce_join", "reduce_stack", ""},
    {"local_reduce_broadcastable local_useless_reduce", "reduce_nothing", ""},
    {"local_sumsqr2dot", "product_of_sum", "a sum of squares is one kernel with the squares"},
    {"local_max_and_argmax", "", "an output that nothing uses is not stored"},
    {"local_max_to_min", "max_of_negative min_of_negative", ""},
    {"local_useless_topk", "", "values and places are ops of their own"},
    {"local_careduce_fusion", "", fusion},
};

inline constexpr ForeignRewrite products[] = {
    {"local_0_dot_x", "product_with_zeros", ""},
    {"local_lift_transpose_through_dot", "transpose_of_product transposed_operands", ""},
    {"local_dot_to_dot22 gemm_optimizer", "product_plus product_plus_its_addend negative_gemm", ""},
    {"local_dot22_to_dot22scalar", "scaled_gemm", ""},
    {"local_gemm_to_gemv local_gemm_to_ger local_dot22_to_ger_or_gemv local_dot_to_mul",
     "product_as_sum", ""},
    {"use_c_ger use_c_gemv use_scipy_ger", "", one_form},
    {"local_inplace_gemm local_inplace_gemv local_inplace_ger make_c_gemv_destructive "
     "make_c_ger_destructive make_ger_destructive",
     "", memory},
    {"specialize_matmul_to_batched_dot", "", "a product takes leading axes itself"},
    {"local_batched_matmul_to_core_matmul local_batched_matmul_to_core_matmul_with_reshape", "",
     "`matmul` builds one large product where one side is a matrix"},
};

inline constexpr ForeignRewrite matrices[] = {
    {"inv_to_solve inv_as_solve", "product_with_inverse", ""},
    {"solve_of_inv_to_matmul inv_of_inv", "system_of_inverse",
     "for matrices known to be regular: the error of a singular one would be lost"},
    {"transpose_of_inv transinv_to_invtrans", "transpose_of_inverse system_of_transpose", ""},
    {"inv_of_diag_to_diag_reciprocal diagonal_solve_to_division scalar_solve_to_division",
     "system_of_diagonal", ""},
    {"inv_of_orthogonal_to_transpose orthogonal_solve_to_transpose_matmul", "solve_of_orthogonal",
     ""},
    {"orthogonal_dot_transpose_to_eye", "product_of_orthogonal",
     "of `qr`, which refuses no matrix"},
    {"generic_solve_to_structured_form generic_solve_to_solve_triangular tag_solve_triangular",
     "solve_of_triangular", ""},
    {"psd_solve_to_chol_solve psd_solve_with_chol", "",
     "`cholesky` refuses matrices that `solve` takes: users say `assume_a`"},
    {"paired_triangular_solves_to_cho_solve", "", "two triangular systems are what it would do"},
    {"block_diag_solve_to_block_diag_solves", "solve_of_blocks", ""},
    {"batched_vector_b_solve_to_matrix_b_solve", "system_of_broadcast", ""},
    {"reuse_decomposition_multiple_solves reuse_decomposition_multiple_solves_jax "
     "scan_split_non_sequence_decomposition_and_solve "
     "scan_split_non_sequence_decomposition_and_solve_jax",
     "", "not here: users call `lu_factor` and `lu_solve`"},
    {"solve_sylvester_of_diag", "", "not here: the routine takes diagonal matrices as others"},
    {"cholesky_of_diag", "cholesky_of_diagonal", ""},
    {"lu_of_diag lu_factor_of_diag qr_of_diag", "factors_of_upper", ""},
    {"qz_of_diag schur_of_diag", "", "there are no such factors"},
    {"svd_of_diag eigh_of_diag eigvalsh_of_diag", "spectrum_of_diagonal", ""},
    {"expm_of_diag", "expm_of_diagonal", ""},
    {"cholesky_ldotlt", "cholesky_of_product", ""},
    {"svd_uv_merge", "", "svd is one node with three results"},
    {"eig_to_eigh", "", "there are no eigenvalues of general matrices"},
    {"det_of_inv", "det_of_inverse", ""},
    {"det_of_triangular", "det_of_triangular", ""},
    {"det_of_blockdiag", "det_of_blocks", ""},
    {"det_of_kronecker", "det_of_kron", ""},
    {"det_of_permutation", "", "no op makes permutation matrices"},
    {"det_of_factorized_matrix local_det_chol",
     "det_of_product det_of_triangular log_size_of_orthogonal", ""},
    {"det_of_matrix_factorized_elsewhere", "",
     "a rule sees operands only; `det` and `lu_factor` of one matrix share the factors"},
    {"slogdet_specialization", "function_of_det", ""},
    {"diag_of_blockdiag diag_of_kronecker", "index_of_elementwise",
     "elements are read where they come from"},
    {"extract_diag_of_transpose", "index_of_transpose", ""},
    {"extract_diag_lift_pass", "diagonal_of_product index_of_elementwise index_of_write", ""},
    {"dot_diag_to_elemwise", "product_with_diagonal", ""},
    {"kron_of_diagonal_to_diagonal", "", "Kronecker's product is elementwise: one kernel"},
    {"fuse_blockdiagonal", "joined_parts", ""},
    {"lift_linalg_of_expanded_matrices", "inverse_of_kron solve_of_blocks",
     "not of `cholesky`, which is there for the product of two negative definite matrices"},
    {"local_block_diag_dot_to_dot_block_diag", "", "not here: the product is computed as a whole"},
    {"selection_dot_to_indexing", "product_with_diagonal", "of the identity itself"},
    {"useless_symmetric_transpose no_transpose_symmetric", "transpose_of_symmetric", ""},
    {"remove_hint_nodes drain_specify_assumptions", "", "facts are inferred, there are no hints"},
    {"local_useless_unbatched_blockwise local_eager_useless_unbatched_blockwise "
     "local_blockwise_alloc "
     "local_blockwise_alloc_inputs local_blockwise_reshape local_blockwise_inc_subtensor "
     "blockwise_inplace",
     "", batched},
};

inline constexpr ForeignRewrite generation[] = {
    {"local_add_mul_fusion flatten_nested_add_mul", "linked_terms",
     "sums and products are flat before any rule looks"},
    {"composite_elemwise_fusion fuse_elemwise wrap_reduced_gather_in_elemwise "
     "inline_symbolic_for_fusion merge_inlined_symbolic local_inline_composite_constants "
     "local_useless_composite local_useless_composite_outputs",
     "", fusion},
    {"inplace_elemwise_opt inplace_elemwise local_inplace_setsubtensor local_inplace_incsubtensor1 "
     "local_inplace_remove0 local_inplace_DiagonalSubtensor local_inplace_AdvancedIncSubtensor "
     "local_inplace_sparse_block_gemv local_inplace_sparse_block_outer typed_list_inplace_opt "
     "cond_make_inplace scanOp_make_inplace scan_make_inplace random_make_inplace "
     "random_make_inplace_mrg",
     "", memory},
    {"introduce_explicit_core_shape_blockwise introduce_explicit_core_shape_rv", "", extents},
    {"optimize_inner_graph ofg_inner_graph scan_inner_graph optimize_einsum_inner_graph", "",
     "every pass runs inside bodies too"},
    {"late_inline_OpFromGraph inline_optimized_einsum", "open_call", ""},
};

inline constexpr ForeignRewrite loops[] = {
    {"scanOp_remove_constants_and_unused_inputs0 scanOp_remove_constants_and_unused_inputs1 "
     "scanOp_remove_constants_and_unused_inputs2 scanOp_remove_constants_and_unused_inputs3 "
     "scan_input_and_output_cleanup0 scan_input_and_output_cleanup1 scan_input_and_output_cleanup2 "
     "scan_input_and_output_cleanup3 scanOp_merge_inouts scan_merge_inouts scan_remove_unused_top",
     "", "the pass prune_loops"},
    {"constant_folding_for_scan2", "fold", "every pass runs inside bodies too"},
    {"scanOp_pushout_nonseqs_ops scan_push_out_non_seq", "",
     "a loop captures what depends on neither index nor states; the pass prune_loops"},
    {"scanOp_pushout_seqs_ops scan_push_out_seq scan_pushout_dot1 scan_push_out_dot1 "
     "scanOp_pushout_output scan_push_out_add",
     "", "the pass gather_products; elementwise work is part of a kernel of the step"},
    {"scanOp_merge scan_merge", "", "the pass join_loops"},
    {"scanOp_save_mem scan_reduce_nsteps scan_reduce_trace_prealloc scan_reduce_trace_no_prealloc "
     "scan_sit_sot_to_untraced",
     "", "the pass shorten_loops; rows are kept where they are read only"},
    {"ifelse_lift_single_if_through_acceptable_ops cond_lift_single_if cond_merge_ifs_true "
     "cond_merge_ifs_false cond_remove_identical cond_merge_random_op CondMerge",
     "", "not here: branches stay as they were written"},
};

inline constexpr ForeignRewrite devices[] = {
    {"local_abstractconv_gemm local_abstractconv3d_gemm local_abstractconv_gradweight_gemm "
     "local_abstractconv3d_gradweight_gemm local_abstractconv_gradinputs_gemm "
     "local_abstractconv3d_gradinputs_gemm local_conv2d_cpu local_conv2d_gradweight_cpu "
     "local_conv2d_gradinputs_cpu local_abstract_batch_norm_train "
     "local_abstract_batch_norm_train_grad local_abstract_batch_norm_inference AbstractConvCheck "
     "conv_metaopt",
     "", one_form},
    {"InputToGpuOptimizer GraphToGPU gpu_cut_copies cut_gpua_host_transfers "
     "cut_gpua_constant_transfers gpua_assert_no_cpu_op NoCuDNNRaise local_gpua_*",
     "", one_device},
    {"gpua_elemwise_fusion local_gpu_elemwise_careduce", "", fusion},
    {"gpua_inplace_opt InplaceGpuaBlasOpt local_gpualloc_memset_0 "
     "local_gpu_contiguous_gpu_contiguous local_batch_norm_inplace_output "
     "local_batch_norm_inplace_running_mean local_batch_norm_inplace_running_var",
     "", memory},
    {"local_gpua_gemm_alpha_merge local_gpua_gemm_output_merge local_gpua_gemmbatch_alpha_merge "
     "local_gpua_gemmbatch_output_merge",
     "scaled_gemm product_plus product_plus_its_addend", ""},
    {"local_dnn_conv_alpha_merge local_dnn_conv_output_merge local_dnn_reduction local_dnn_argmax "
     "local_softmax_dnn local_log_softmax_dnn",
     "", one_form},
    {"local_dense_from_sparse_sparse_from_dense local_csm_properties_csm local_structured_add_s_v "
     "local_mul_s_d local_mul_s_v local_sampling_dot_csr local_usmm local_usmm_csx "
     "local_usmm_csc_dense_inplace local_addsd_ccode local_inplace_addsd_ccode",
     "", no_sparse},
    {"sidestep_unused_rng_consumer cast_rv_float_params_to_float64", "", no_random},
    {"remove_constants_and_duplicate_inputs_scipy", "", "no function calls back from a library"},
    {"lower_blockwise lower_broadcast lower_concat lower_cumreduce lower_dot lower_elemwise "
     "lower_expand_dims lower_index lower_index_update lower_reduce lower_rv lower_squeeze "
     "lower_stack lower_transpose lower_unstack useless_rename useless_tensor_from_xtensor "
     "useless_tensor_from_xtensor_of_rename useless_xtensor_from_tensor useless_rng_to_xrng "
     "useless_xrng_to_rng inline_ofg_expansion_xtensor",
     "", no_named},
    {"jax_boolean_indexing_set_or_inc jax_boolean_indexing_sum jax_shape_parameter_as_tuple "
     "jax_size_parameter_as_tuple jax_random_vars_rewrites jax_bilinear_lyapunov_to_direct",
     "", other_backend},
};

}  // namespace foreign

inline constexpr ForeignFamily foreign_families[] = {
    {"Algebra", foreign::algebra},
    {"Stability", foreign::stability},
    {"Shapes, broadcasts and joins", foreign::shapes},
    {"Indexing", foreign::indexing},
    {"Reductions", foreign::reductions},
    {"Products", foreign::products},
    {"Matrices of a known form, batches of matrices", foreign::matrices},
    {"Fusion, memory, inner graphs", foreign::generation},
    {"Loops and branches", foreign::loops},
    {"Devices, sparse arrays, other back ends", foreign::devices},
};

}  // namespace gnomon
