"""The text of docs/coverage.md: where each name of Theano 1.0 and PyTensor 3.3 is in the package.

An entry is `name`, which the package has under that name, `name=where`, or `name!reason`. `where`
is a path in the package (`nn.relu`), or, in quotes, how it is written (`"x.T"`).
"""

from __future__ import annotations

import generate_names

FAMILIES = {
    "Arithmetic": """
        add sub=subtract mul=multiply true_div=divide int_div=floor_divide floor_div=floor_divide
        mod=remainder pow neg=negative abs sgn=sign sign inv=reciprocal reciprocal sqr=square sqrt
        maximum minimum clip identity="x" second="gn.broadcast_to(v, x.shape)" fill=full_like
        ceil_intdiv="-(-x // y)" divmod
    """,
    "Rounding": """
        ceil floor trunc round_half_to_even=round
        round_half_away_from_zero="gn.trunc(x + gn.copysign(0.5, x))"
        iround="gn.round(x).astype('int64')"
    """,
    "Comparisons and logic": """
        eq=equal neq=not_equal lt=less le=less_equal gt=greater ge=greater_equal isnan isinf
        isfinite isposinf isneginf isclose allclose switch=where where and_=bitwise_and
        or_=bitwise_or xor=bitwise_xor invert=bitwise_invert inrange="(low <= x) & (x <= high)"
        nan_to_num
    """,
    "Exponentials and logarithms": """
        exp exp2 expm1 log log2 log10 log1p log1mexp softplus log1pexp=softplus logaddexp logsumexp
        xlogx=special.xlogx xlogy0=special.xlogy xlogy=special.xlogy xlog1py=special.xlog1py
        logit=special.logit
    """,
    "Trigonometry": """
        sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh deg2rad
        rad2deg
    """,
    "Complex numbers": """
        complex complex_from_polar real imag angle conj
    """,
    "Special functions": """
        erf erfc erfcx erfinv erfcinv gamma gammaln psi=special.psi digamma tri_gamma=trigamma
        polygamma=special.polygamma gammainc gammaincc gammau="gammaincc(a, x) * gamma(a)"
        gammal="gammainc(a, x) * gamma(a)" gammaincinv gammainccinv chi2sf=special.chdtrc betainc
        betaincinv beta=special.beta betaln factorial=special.factorial poch=special.poch j0 j1
        jv i0 i1 iv=special.iv ive kve kv=special.kv kn=special.kn
        hyp2f1!the_hypergeometric_function owens_t ndtri_exp sigmoid
        hard_sigmoid="gn.nn.hard_sigmoid(x, 0.2)"
        ultra_fast_sigmoid!sigmoid_is_fast_and_accurate
    """,
    "Casts": """
        cast convert_to_bool=astype convert_to_int=astype convert_to_uint=astype
        convert_to_float32=astype convert_to_float64=astype convert_to_complex64=astype
        convert_to_complex128=astype convert_to_float16=astype
    """,
    "Inner graphs of scalars": """
        Composite!fusion_makes_kernels_of_whole_graphs
        ScalarLoop!loops_of_special_functions_are_in_their_kernels
    """,
    "Creation": """
        alloc=full zeros ones zeros_like ones_like tri tril triu tril_indices triu_indices full
        full_like empty empty_like eye identity_like="gn.eye(x.shape[0], dtype=x.dtype)" arange
        linspace logspace geomspace mgrid ogrid diag alloc_diag=diag bartlett MakeVector=stack
    """,
    "Reductions": """
        sum prod mean var std max min argmax argmin max_and_argmax any all ptp norm=linalg.norm
        cumsum cumprod median logsumexp trace=linalg.trace cov acc_dtype="gn.sum(x.astype(t))"
        no_zeros_in_input!derivatives_of_prod_are_right_at_zeros
    """,
    "Shapes": """
        shape shape_i="x.shape[i]" size="x.size" ndim reshape flatten=ravel ravel
        dimshuffle="gn.permute_dims, gn.expand_dims, gn.squeeze" transpose swapaxes moveaxis
        squeeze expand_dims shape_padleft=expand_dims shape_padright=expand_dims
        shape_padaxis=expand_dims tile repeat roll flip stack concatenate join=concat split
        vertical_stack=vstack horizontal_stack=hstack stacklists="gn.stack of gn.stack" atleast_1d
        atleast_2d atleast_3d broadcast_to broadcast_arrays pad join_dims=reshape
        split_dims=reshape pack="gn.concat of gn.ravel" unpack=split
    """,
    "Reading by index": """
        slices="x[start:stop:step]" ellipsis="x[..., i]" newaxis advanced="x[i, :, j]"
        masks="x[mask]" take take_mode="gn.take of gn.clip or of i % n" take_along_axis choose
        compress nonzero nonzero_values="x[x != 0]" flatnonzero diagonal extract_diag=diagonal
    """,
    "Writing by index": """
        set_subtensor="x.at[i].set(v)" inc_subtensor="x.at[i].add(v)" set="x.at[i].set(v)"
        inc="x.at[i].add(v)" fill_diagonal fill_diagonal_offset
        tolerate_aliasing!no_operation_writes_to_an_operand
    """,
    "Searching and sorting": """
        sort argsort topk argtopk topk_and_argtopk searchsorted bincount unique
        permute_row_elements inverse_permutation ravel_multi_index unravel_index
        to_one_hot=nn.one_hot
    """,
    "Products": """
        dot tensordot batched_dot batched_tensordot outer matmul vecdot matvec=matmul vecmat=matmul
        einsum kron Dot22!chosen_by_rewriting Gemm=gemm Gemv!chosen_by_rewriting
        Ger!chosen_by_rewriting BatchedDot!chosen_by_rewriting
    """,
    "Linear algebra": """
        cholesky solve solve_lower_triangular=solve_triangular
        solve_upper_triangular=solve_triangular det=linalg.det slogdet=linalg.slogdet
        inverse=linalg.inv pinv matrix_power=linalg.matrix_power matrix_dot=linalg.multi_dot
        eig=linalg.eig eigh eigvalsh svd qr lstsq expm tensorinv tensorsolve
        lu lu_factor lu_solve cho_solve schur=linalg.schur qz=linalg.qz ordqz=linalg.ordqz
        block_diag tridiagonal=linalg.solve_banded solve_sylvester
        solve_continuous_lyapunov solve_discrete_lyapunov solve_discrete_are
        Blockwise="leading axes are batches"
    """,
    "Neural networks": """
        softmax logsoftmax=nn.log_softmax softmax_with_bias="gn.softmax(x + b)"
        categorical_crossentropy=nn.cross_entropy binary_crossentropy=nn.binary_cross_entropy
        sigmoid_binary_crossentropy=nn.binary_cross_entropy_with_logits
        crossentropy_softmax_1hot=nn.cross_entropy relu=nn.relu elu=nn.elu
        selu=nn.selu softsign=nn.softsign confusion_matrix=nn.confusion_matrix
        h_softmax="gn.exp of gn.nn.hierarchical_log_softmax" ctc=nn.ctc_loss
        batch_normalization=nn.batch_norm batch_normalization_train=nn.batch_norm_train
        batch_normalization_test=nn.batch_norm images2neibs=nn.images2neibs
        neibs2images=nn.neibs2images sparse_block_dot=nn.sparse_block_dot
    """,
    "Convolutions": """
        conv2d=nn.conv2d conv3d=nn.conv3d grad_wrt_inputs=grad grad_wrt_weights=grad
        conv2d_transpose=nn.conv_transpose2d separable_conv2d=nn.separable_conv2d
        separable_conv3d=nn.separable_conv3d causal_conv1d=nn.causal_conv1d
        unshared=nn.unshared_conv2d bilinear_upsampling=nn.bilinear_upsampling
        frac_bilinear_upsampling=nn.bilinear_upsampling
        signal_conv2d=nn.conv2d conv3d2d=nn.conv3d convolve1d=convolve convolve2d=nn.conv2d
    """,
    "Pools": """
        pool_2d_max=nn.max_pool2d pool_2d_average_exc_pad=nn.avg_pool2d
        pool_2d_average_inc_pad="gn.nn.avg_pool2d with count_include_pad"
        pool_2d_sum=nn.sum_pool2d pool_3d=nn.max_pool3d
        max_pool_2d_same_size="gn.vjp of gn.nn.max_pool2d at its own result"
    """,
    "Random numbers": """
        RandomStreams=random.RandomStream MRG_RandomStreams=random.MRG_RandomStream
        bernoulli=random.bernoulli beta=random.beta betabinom=random.betabinom
        binomial=random.binomial categorical=random.categorical cauchy=random.cauchy
        dirichlet=random.dirichlet exponential=random.exponential gamma=random.gamma
        gengamma=random.gengamma geometric=random.geometric gumbel=random.gumbel
        halfcauchy=random.halfcauchy halfnormal=random.halfnormal
        hypergeometric=random.hypergeometric integers=random.integers
        random_integers=random.integers invgamma=random.invgamma laplace=random.laplace
        logistic=random.logistic lognormal=random.lognormal multinomial=random.multinomial
        multivariate_normal=random.multivariate_normal negative_binomial=random.negative_binomial
        normal=random.normal pareto=random.pareto permutation=random.permutation
        shuffle_row_elements=random.permuted choice=random.choice poisson=random.poisson t=random.t
        triangular=random.triangular truncated_normal=random.truncated_normal
        truncexpon=random.truncexpon uniform=random.uniform vonmises=random.vonmises
        wald=random.wald weibull=random.weibull default_update=shared
    """,
    "Fourier transforms": """
        rfft=fft.rfft irfft=fft.irfft
    """,
    "Loops and branches": """
        scan=theano.scan map=theano.map reduce=theano.reduce foldl=theano.foldl
        foldr=theano.foldr until=theano.until scan_checkpoints=theano.scan filter="x[mask]"
        ifelse switch=where Assert=check Raise=check
        CheckAndRaise=check PdbBreakpoint=breakpoint
    """,
    "Batching": """
        vectorize vectorize_graph=vectorize
    """,
    "Derivatives": """
        grad known_grads=grad consider_constant=grad disconnected_inputs=grad Lop=vjp Rop=jvp
        pullback=vjp pushforward=jvp jacobian hessian hessian_vector_product=hvp subgraph_grad
        zero_grad disconnected_grad=stop_gradient undefined_grad grad_clip grad_scale
        grad_undefined=undefined_grad grad_not_implemented=undefined_grad verify_grad
        OpFromGraph=op_from_graph SymbolicOp=op_from_graph
    """,
}


def entries(text: str) -> list[str]:
    """The entries of a family: separated by spaces, but for those within quotes."""
    found, quoted = [""], False
    for c in text.strip():
        quoted ^= c == '"'
        if c.isspace() and not quoted:
            found.append("")
        else:
            found[-1] += c
    return [entry for entry in found if entry]


def row(entry: str) -> tuple[str, str, str, bool]:
    """The name, where it is or why not, the same in C++, and whether it is there."""
    if "!" in entry.partition("=")[0]:
        name, reason = entry.split("!")
        return name, reason.replace("_", " "), "", False
    name, _, where = entry.partition("=")
    if where.startswith('"'):
        return name, f"`{where.strip(chr(34))}`", "", True
    import gnomon  # not there yet when this module is loaded to build it

    path = where or name
    place: object = gnomon
    for part in path.split("."):
        place = getattr(place, part)  # AttributeError: the table names what is not there
    return name, f"`gn.{path}`", generate_names.cpp(path), True


def text() -> str:
    """The page."""
    there = total = 0
    parts = []
    for family, listed in FAMILIES.items():
        rows = [row(entry) for entry in entries(listed)]
        there += sum(present for *_, present in rows)
        total += len(rows)
        parts.append(f"\n## {family}\n\n| name | where | in C++ |\n|---|---|---|\n" + "".join(
            f"| `{name}` | {where if present else 'absent: ' + where} | {same} |\n"
            for name, where, same, present in rows))
    return (
        "# What Theano 1.0 and PyTensor 3.3 have, and where it is\n\n"
        "Written by `frontend/python/generate.py --coverage`; do not edit. Names of operations\n"
        "and derivatives of both libraries, without sparse arrays and devices, and what does\n"
        "the same here. "
        f"{there} of {total} are present, {100 * there / total:.0f} %.\n" + "".join(parts)
    )
