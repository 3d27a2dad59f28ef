// Examples of neural networks: activations, layers, losses, convolutions, initial values.

EXAMPLE(conv, conv(image, ones({1, 1, 2, 2}), {.stride = {2}}), "[[[[10. 18.]\n   [42. 50.]]]]");
EXAMPLE(max_pool, max_pool(image, {2, 2}), "[[[[ 5.  7.]\n   [13. 15.]]]]");
EXAMPLE(sum_pool, sum_pool(v, {2}), "[4. 2.]");
EXAMPLE(avg_pool, avg_pool(v, {2}, {1}), "[2.  1.5 1.  1. ]");

EXAMPLE(nn::relu, nn::relu(w), "[1.  0.  0.5]");
EXAMPLE(nn::relu6, nn::relu6(w * 10), "[6. 0. 5.]");
EXAMPLE(nn::leaky_relu, nn::leaky_relu(w), "[ 1.   -0.02  0.5 ]");
EXAMPLE(nn::prelu, nn::prelu(-m, w), "[[-1.   4.  -1.5]\n [-4.  10.  -3.5]]");
EXAMPLE(nn::elu, nn::elu(w), "[ 1.         -0.86466472  0.5       ]");
EXAMPLE(nn::celu, nn::celu(w, 2), "[ 1.         -1.26424112  0.5       ]");
EXAMPLE(nn::selu, nn::selu(w), "[ 1.05070099 -1.52016647  0.52535049]");
EXAMPLE(nn::gelu, nn::gelu(w), "[ 0.84134475 -0.04550026  0.34573123]");
EXAMPLE(nn::gelu, nn::gelu(w, nn::Gelu::tanh), "[ 0.84119199 -0.04540231  0.34571401]");
EXAMPLE(nn::silu, nn::silu(w), "[ 0.73105858 -0.23840584  0.31122967]");
EXAMPLE(nn::swish, nn::swish(w), "[ 0.73105858 -0.23840584  0.31122967]");
EXAMPLE(nn::mish, nn::mish(w), "[ 0.86509839 -0.25250148  0.37524521]");
EXAMPLE(nn::log_sigmoid, nn::log_sigmoid(w), "[-0.31326169 -2.12692801 -0.47407698]");
EXAMPLE(nn::softsign, nn::softsign(w), "[ 0.5        -0.66666667  0.33333333]");
EXAMPLE(nn::hard_tanh, nn::hard_tanh(w), "[ 1.  -1.   0.5]");
EXAMPLE(nn::hard_sigmoid, nn::hard_sigmoid(w * 1.5), "[0.75  0.    0.625]");
EXAMPLE(nn::hard_swish, nn::hard_swish(w), "[ 0.66666667 -0.33333333  0.29166667]");
EXAMPLE(nn::hard_shrink, nn::hard_shrink(w), "[ 1. -2.  0.]");
EXAMPLE(nn::soft_shrink, nn::soft_shrink(w), "[ 0.5 -1.5  0. ]");
EXAMPLE(nn::glu, nn::glu(Array::from<double>({3, 5, 0, 1000})), "[1.5 5. ]");

EXAMPLE(nn::conv_transpose,
        nn::conv_transpose(reshape(w, {1, 1, 3}), ones({1, 1, 2}), {.stride = {2}}),
        "[[[ 1.   1.  -2.  -2.   0.5  0.5]]]");
EXAMPLE(nn::separable_conv,
        nn::separable_conv(image, ones({1, 1, 3, 3}), ones({5, 1, 1, 1})).shape(), "[1, 5, 2, 2]");
EXAMPLE(nn::causal_conv1d, nn::causal_conv1d(reshape(v, {1, 1, 5}), ones({1, 1, 2})),
        "[[[3. 4. 3. 2. 2.]]]");
EXAMPLE(nn::unshared_conv, nn::unshared_conv(reshape(w, {1, 1, 3}), reshape(s, {1, 2, 1, 2})),
        "[[[ 2.  -0.5]]]");
EXAMPLE(nn::patches, nn::patches(image, {2, 2}).shape(), "[1, 1, 2, 2, 3, 3]");
EXAMPLE(nn::images2neibs, nn::images2neibs(image, {2, 2}),
        "[[ 0.  1.  4.  5.]\n [ 2.  3.  6.  7.]\n [ 8.  9. 12. 13.]\n [10. 11. 14. 15.]]");
EXAMPLE(nn::neibs2images, nn::neibs2images(image(0, 0), {2, 2}, {1, 1, 4, 4}),
        "[[[[ 0.  1.  4.  5.]\n   [ 2.  3.  6.  7.]\n   [ 8.  9. 12. 13.]\n"
        "   [10. 11. 14. 15.]]]]");
EXAMPLE(nn::bilinear_upsampling, nn::bilinear_upsampling(reshape(s, {1, 1, 2, 2}), {2}),
        "[[[[4.   2.5  1.   1.  ]\n   [2.5  2.25 2.   2.  ]\n   [1.   2.   3.   3.  ]\n"
        "   [1.   2.   3.   3.  ]]]]");
EXAMPLE(nn::conv1d, nn::conv1d(reshape(v, {1, 1, 5}), ones({1, 1, 2})), "[[[4. 3. 2. 2.]]]");
EXAMPLE(nn::conv2d, nn::conv2d(image, ones({1, 1, 3, 3})), "[[[[45. 54.]\n   [81. 90.]]]]");
EXAMPLE(nn::conv3d, nn::conv3d(ones({1, 2, 4, 4, 4}), ones({5, 2, 3, 3, 3})).shape(),
        "[1, 5, 2, 2, 2]");
EXAMPLE(nn::conv_transpose1d, nn::conv_transpose1d(reshape(w, {1, 1, 3}), ones({1, 1, 2})),
        "[[[ 1.  -1.  -1.5  0.5]]]");
EXAMPLE(nn::conv_transpose2d,
        nn::conv_transpose2d(image, ones({1, 1, 2, 2}), {.stride = {2}}).shape(), "[1, 1, 8, 8]");
EXAMPLE(nn::conv_transpose3d,
        nn::conv_transpose3d(ones({1, 3, 4, 5, 6}), ones({3, 2, 2, 2, 2})).shape(),
        "[1, 2, 5, 6, 7]");
EXAMPLE(nn::separable_conv1d,
        nn::separable_conv1d(reshape(v, {1, 1, 5}), ones({1, 1, 2}), ones({2, 1, 1})),
        "[[[4. 3. 2. 2.]\n  [4. 3. 2. 2.]]]");
EXAMPLE(nn::separable_conv2d, nn::separable_conv2d(image, ones({1, 1, 4, 4}), ones({1, 1, 1, 1})),
        "[[[[120.]]]]");
EXAMPLE(nn::separable_conv3d,
        nn::separable_conv3d(ones({1, 2, 4, 4, 4}), ones({2, 1, 3, 3, 3}), ones({5, 2, 1, 1, 1}))
            .shape(),
        "[1, 5, 2, 2, 2]");
EXAMPLE(nn::unshared_conv1d, nn::unshared_conv1d(reshape(w, {1, 1, 3}), reshape(s, {1, 2, 1, 2})),
        "[[[ 2.  -0.5]]]");
EXAMPLE(nn::unshared_conv2d, nn::unshared_conv2d(image, ones({1, 2, 2, 1, 3, 3})),
        "[[[[45. 54.]\n   [81. 90.]]]]");
EXAMPLE(nn::unshared_conv3d,
        nn::unshared_conv3d(ones({1, 2, 3, 4, 5}), ones({6, 2, 3, 4, 2, 2, 2, 2})).shape(),
        "[1, 6, 2, 3, 4]");
EXAMPLE(nn::max_pool1d, nn::max_pool1d(v, {2}, {1}), "[3. 2. 2. 2.]");
EXAMPLE(nn::max_pool2d, nn::max_pool2d(image, {2}), "[[[[ 5.  7.]\n   [13. 15.]]]]");
EXAMPLE(nn::max_pool3d, nn::max_pool3d(reshape(arange(8), {2, 2, 2}), {2}), "[[[7]]]");
EXAMPLE(nn::avg_pool1d, nn::avg_pool1d(v, {2}, {1}), "[2.  1.5 1.  1. ]");
EXAMPLE(nn::avg_pool2d, nn::avg_pool2d(image, {2}), "[[[[ 2.5  4.5]\n   [10.5 12.5]]]]");
EXAMPLE(nn::avg_pool3d, nn::avg_pool3d(ones({2, 2, 2}), {2}), "[[[1.]]]");
EXAMPLE(nn::sum_pool1d, nn::sum_pool1d(v, {2}, {1}), "[4. 3. 2. 2.]");
EXAMPLE(nn::sum_pool2d, nn::sum_pool2d(image, {2}), "[[[[10. 18.]\n   [42. 50.]]]]");
EXAMPLE(nn::sum_pool3d, nn::sum_pool3d(ones({2, 2, 2}), {2}), "[[[8.]]]");
EXAMPLE(nn::unfold, nn::unfold(reshape(v, {1, 1, 5}), {2}), "[[[3. 1. 2. 0.]\n  [1. 2. 0. 2.]]]");
EXAMPLE(nn::one_hot, nn::one_hot(n, 3), "[[0. 0. 1.]\n [1. 0. 0.]\n [0. 1. 0.]]");

EXAMPLE(init::fans, init::fans({8, 2, 3, 5}), "(30, 120)");
EXAMPLE(init::variance_scaling, init::variance_scaling(random::state(1), {100, 2}, 2.0)(0),
        "[0.18630177 0.08507661]");
EXAMPLE(init::glorot_uniform, init::glorot_uniform(random::state(1), {100, 2})(0),
        "[0.19145021 0.10248007]");
EXAMPLE(init::glorot_normal, init::glorot_normal(random::state(1), {100, 2})(0),
        "[-0.01853673 -0.05183187]");
EXAMPLE(init::he_uniform, init::he_uniform(random::state(1), {100, 2})(0),
        "[0.19335523 0.1034998 ]");
EXAMPLE(init::he_normal, init::he_normal(random::state(1), {100, 2})(0),
        "[-0.01872118 -0.05234762]");
EXAMPLE(init::lecun_uniform, init::lecun_uniform(random::state(1), {100, 2})(0),
        "[0.1367228  0.07318541]");
EXAMPLE(init::lecun_normal, init::lecun_normal(random::state(1), {100, 2})(0),
        "[-0.01323788 -0.03701536]");
EXAMPLE(init::truncated_normal, init::truncated_normal(random::state(1), {3}, 0.1),
        "[0.1158777  0.05291674 0.10673352]");
EXAMPLE(init::orthogonal, norm(init::orthogonal(random::state(1), {2, 4}), 2, 1), "[1. 1.]");
EXAMPLE(init::xavier_uniform, init::xavier_uniform(random::state(1), {100, 2})(0),
        "[0.19145021 0.10248007]");
EXAMPLE(init::xavier_normal, init::xavier_normal(random::state(1), {100, 2})(0),
        "[-0.01853673 -0.05183187]");
EXAMPLE(init::kaiming_uniform, init::kaiming_uniform(random::state(1), {100, 2})(0),
        "[0.19335523 0.1034998 ]");
EXAMPLE(init::kaiming_normal, init::kaiming_normal(random::state(1), {100, 2})(0),
        "[-0.01872118 -0.05234762]");

EXAMPLE(nn::linear, nn::linear(w, transpose(m), Array::from<double>({10, 20})), "[ 8.5 17.5]");
EXAMPLE(nn::bilinear, nn::bilinear(w, w, stack({eye(3), ones({3, 3})})), "[5.25 0.25]");
EXAMPLE(nn::sparse_block_dot,
        nn::sparse_block_dot(ones({2, 2, 3, 2}), reshape(w, {1, 1, 3}), zeros({1, 1}, int64),
                             eye(2), ones({1, 1}, int64)),
        "[[[-0.5  0.5]]]");
EXAMPLE(nn::embedding, nn::embedding(n, transpose(m)), "[[3. 7.]\n [1. 4.]\n [2. 5.]]");
EXAMPLE(nn::scaled_dot_product_attention,
        nn::scaled_dot_product_attention(zeros({2, 1}), zeros({2, 1}), s),
        "[[2.5 2. ]\n [2.5 2. ]]");
EXAMPLE(nn::scaled_dot_product_attention,
        nn::scaled_dot_product_attention(zeros({2, 1}), zeros({2, 1}), s, {.causal = true}),
        "[[4.  1. ]\n [2.5 2. ]]");
EXAMPLE(nn::dropout, nn::dropout(random::state(7), v, 0.5), "[0. 2. 0. 0. 4.]");

EXAMPLE(nn::mse, nn::mse(w, 0), "1.75");
EXAMPLE(nn::mse_loss, nn::mse_loss(w, 0), "1.75");
EXAMPLE(nn::mse_loss, nn::mse_loss(w, 1, nn::Reduction::none), "[0.   9.   0.25]");
EXAMPLE(nn::l1_loss, nn::l1_loss(w, 1, nn::Reduction::sum), "3.5");
EXAMPLE(nn::huber_loss, nn::huber_loss(w, 1, 0.5, nn::Reduction::none), "[0.    1.375 0.125]");
EXAMPLE(nn::smooth_l1_loss, nn::smooth_l1_loss(w, 1, 0.5, nn::Reduction::none), "[0.   2.75 0.25]");
EXAMPLE(nn::log_cosh_loss, nn::log_cosh_loss(w, 1, nn::Reduction::none),
        "[0.         2.3093285  0.12011451]");
EXAMPLE(nn::gaussian_nll_loss, nn::gaussian_nll_loss(w, 1, 0.25, false, 1e-6, nn::Reduction::none),
        "[-0.69314718 17.30685282 -0.19314718]");
EXAMPLE(nn::poisson_nll_loss, nn::poisson_nll_loss(w, n, true, false, nn::Reduction::none),
        "[0.71828183 0.13533528 1.14872127]");
EXAMPLE(nn::binary_cross_entropy,
        nn::binary_cross_entropy(sigmoid(w), cast(b, float64), nn::Reduction::none),
        "[0.31326169 0.12692801 0.47407698]");
EXAMPLE(nn::binary_cross_entropy_with_logits,
        nn::binary_cross_entropy_with_logits(w, cast(b, float64), {}, nn::Reduction::none),
        "[0.31326169 0.12692801 0.47407698]");
EXAMPLE(nn::cross_entropy, nn::cross_entropy(m, n(until(2)), {.reduction = nn::Reduction::none}),
        "[0.40760596 3.16984602]");
EXAMPLE(nn::cross_entropy,
        nn::cross_entropy(
            m, n(until(2)),
            {.weights = v(until(3)), .label_smoothing = 0.1, .reduction = nn::Reduction::none}),
        "[1.04854526 8.95922012]");
EXAMPLE(nn::nll_loss, nn::nll_loss(log_softmax(m), n(until(2)), {.reduction = nn::Reduction::none}),
        "[0.40760596 3.16984602]");
EXAMPLE(nn::kl_div, nn::kl_div(log_softmax(w), softmax(-w), false, nn::Reduction::none),
        "[-0.11521273  2.98684281 -0.11743224]");
EXAMPLE(nn::hierarchical_log_softmax,
        exp(nn::hierarchical_log_softmax(m, zeros({3, 2}), zeros({2}), zeros({2, 3, 2}),
                                         zeros({2, 2}))),
        "[[0.25 0.25 0.25 0.25]\n [0.25 0.25 0.25 0.25]]");
EXAMPLE(nn::ctc_loss,
        exp(-nn::ctc_loss(zeros({2, 1, 2}), ones({1, 1}, int64), full({1}, 2, int64),
                          ones({1}, int64))),
        "0.75");
EXAMPLE(nn::hinge_loss, nn::hinge_loss(w, sign(w), false, nn::Reduction::none), "[0.  0.  0.5]");
EXAMPLE(nn::soft_margin_loss, nn::soft_margin_loss(w, sign(w), nn::Reduction::none),
        "[0.31326169 0.12692801 0.47407698]");
EXAMPLE(nn::multi_margin_loss, nn::multi_margin_loss(w, 2), "0.5");
EXAMPLE(nn::margin_ranking_loss, nn::margin_ranking_loss(w, 0, 1, 0, nn::Reduction::none),
        "[0. 2. 0.]");
EXAMPLE(nn::hinge_embedding_loss, nn::hinge_embedding_loss(abs(w), sign(w), 3, nn::Reduction::none),
        "[1.  1.  0.5]");
EXAMPLE(nn::cosine_embedding_loss, nn::cosine_embedding_loss(m, w, 1, 0, nn::Reduction::none),
        "[1.17496355 1.11501093]");
EXAMPLE(nn::triplet_margin_loss, nn::triplet_margin_loss(w, w + 2, w + 1, 1, 1), "4.0");
EXAMPLE(nn::cosine_similarity, nn::cosine_similarity(m, w), "[-0.17496355 -0.11501093]");
EXAMPLE(nn::confusion_matrix, nn::confusion_matrix(n, n % 2, 3), "[[1 0 0]\n [0 1 0]\n [1 0 0]]");

EXAMPLE(nn::batch_norm, nn::batch_norm(m, w, square(w), {}, {1}, 0),
        "[[ 0.   2.   5. ]\n [ 3.   3.5 13. ]]");
EXAMPLE(nn::batch_norm_train, nn::batch_norm_train(m, {}, {}).mean, "[2.5 3.5 5. ]");
EXAMPLE(nn::layer_norm, nn::layer_norm(m),
        "[[-1.22473569  0.          1.22473569]\n [-1.06904153 -0.26726038  1.33630191]]");
EXAMPLE(nn::rms_norm, nn::rms_norm(w), "[ 0.75592873 -1.51185746  0.37796437]");
EXAMPLE(nn::group_norm, nn::group_norm(image, 1)(0, 0, 0),
        "[-1.62697805 -1.41004764 -1.19311724 -0.97618683]");
EXAMPLE(nn::instance_norm, nn::instance_norm(image)(0, 0, 0),
        "[-1.62697805 -1.41004764 -1.19311724 -0.97618683]");
EXAMPLE(nn::normalize, nn::normalize(m, 1),
        "[[0.16666667 0.33333333 0.5       ]\n [0.25       0.3125     0.4375    ]]");
EXAMPLE(nn::local_response_norm, nn::local_response_norm(m, 3, 0.1),
        "[[0.8908199  1.50065697 2.29013379]\n [2.09631804 1.76776695 2.75526881]]");
