// Examples of functions: compiled ones, derivatives, loops, choices, checks, variables, optimizers,
// solvers, files and libraries.

EXAMPLE(compile, compile({x}, {x + 1, sum(x)})(line), "[4. 2. 3. 1. 3.] 8.0");
EXAMPLE(compile, compile({x, a}, {{"scaled", a* x}})(line, 10)["scaled"], "[30. 10. 20.  0. 20.]");
EXAMPLE(compile, compile<double(std::vector<double>)>({x}, {sum(x)})({1, 2, 3}), "6");
EXAMPLE(device_of, device_of({.device = "sim"}).text(), "sim");
EXAMPLE(set_threads, set_threads(4));
EXAMPLE(pool, pool().threads(), "4");

EXAMPLE(grad, grad(sum(square(v)), v), "[6. 2. 4. 0. 4.]");
EXAMPLE(grad, grad(dot(x, y), {x, y}));
EXAMPLE(value_and_grad, value_and_grad(sum(square(w)), {w}).gradients, "[ 2. -4.  1.]");
EXAMPLE(vjp, vjp({square(w)}, {w}, {v(until(3))}), "[ 6. -4.  2.]");
EXAMPLE(jvp, jvp({square(w)}, {w}, {v(until(3))}), "[ 6. -4.  2.]");
EXAMPLE(jacobian, jacobian(w* sum(w), {w}),
        "[[ 0.5  1.   1. ]\n [-2.  -2.5 -2. ]\n [ 0.5  0.5  0. ]]");
EXAMPLE(hessian, hessian(prod(w), {w})[0][0],
        "[[ 0.   0.5 -2. ]\n [ 0.5  0.   1. ]\n [-2.   1.   0. ]]");
EXAMPLE(hvp, hvp(prod(w), {w}, {w}), "[-2.  1. -4.]");
EXAMPLE(vectorize, vectorize({sum(x * x)}, {x}, {m}), "[14. 90.]");
EXAMPLE(grad_clip, grad(sum(square(grad_clip(v, -1, 3))), v), "[3. 2. 3. 0. 3.]");
EXAMPLE(grad_scale, grad(sum(grad_scale(v, -1)), v), "[-1. -1. -1. -1. -1.]");
EXAMPLE(zero_grad, grad(sum(v* zero_grad(v)), v), "[3. 1. 2. 0. 2.]");
EXAMPLE(stop_gradient, grad(sum(w* stop_gradient(w)), w), "[ 1.  -2.   0.5]");
EXAMPLE(undefined_grad, undefined_grad(w), "[ 1.  -2.   0.5]");
EXAMPLE(checkpoint, checkpoint([](auto u) { return std::vector{exp(u[0]) * u[1]}; }, {w, w}),
        "[ 2.71828183 -0.27067057  0.82436064]");
EXAMPLE(barrier, barrier(w), "[ 1.  -2.   0.5]");

EXAMPLE(fori,
        fori(10, {Array(0.0), Array(1.0)},
             [](auto, auto u) { return std::vector{u[1], u[0] + u[1]}; }),
        "55.0 89.0");
EXAMPLE(scan, scan(4, {Array(1.0)}, [](auto, auto u) { return std::vector{u[0] * 2, u[0]}; }),
        "16.0 [1. 2. 4. 8.]");
EXAMPLE(scan,
        scan(3, {Array(0.0)}, Sequences{{w}},
             [](auto, auto u, auto e) { return std::vector{u[0] + e[0], u[0] + e[0]}; })[1],
        "[ 1.  -1.  -0.5]");
EXAMPLE(while_loop,
        while_loop(
            {Array(1.0)}, [](auto u) { return u[0] < 100; },
            [](auto u) { return std::vector{u[0] * 2}; }),
        "128.0");
EXAMPLE(cond,
        cond(
            sum(v) > 5, [&] { return std::vector{sqrt(v)}; }, [&] { return std::vector{-v}; }),
        "[1.73205081 1.         1.41421356 0.         1.41421356]");
EXAMPLE(ifelse, ifelse(sum(v) > 5, {{v}, {-v}}), "[3. 1. 2. 0. 2.]");

EXAMPLE(print, print(x, "x is"));
EXAMPLE(breakpoint, breakpoint(x, [](const Array& u) { std::cout << u; }, any(isnan(x))));
EXAMPLE(transfer, transfer(x, "cpu"));
EXAMPLE(check, check(x, x > 0, "my_log: expected positive numbers"));
EXAMPLE(check_index, check_index(x, n < 3, n, 3, "my_take: index {value} of {bound}"));
EXAMPLE(as_indices, as_indices(n, "my_take: index {value} of {bound}"));
EXAMPLE(shaped, shaped(m, {2, 3}, "my_layer: expected 3 features"));
EXAMPLE(where_equal, where_equal(x, x.shape(), y.shape(), "my_layer: extents differ"));

EXAMPLE(shared, shared(zeros({3}), "weights"));
EXAMPLE(shared, shared(zeros({0, 2}), "rows", {-1, 2}));
EXAMPLE(default_updates,
        default_updates(std::array{random::normal(RandomStream(7).next(), {2}).value()}, {}).size(),
        "1");
EXAMPLE(optim::sgd, compile({}, {sum(square(p))}, optim::sgd(sum(square(p)), {p}, 0.1)));
EXAMPLE(optim::sgd, optim::sgd(sum(square(p)), {p}, 0.1)[0].value, "[0.8 0.8]");
EXAMPLE(optim::momentum, optim::momentum(sum(square(p)), {p}, 0.1).back().value, "[0.8 0.8]");
EXAMPLE(optim::adagrad, optim::adagrad(sum(square(p)), {p}, 0.1).back().value, "[0.9 0.9]");
EXAMPLE(optim::rmsprop, optim::rmsprop(sum(square(p)), {p}, 0.1).back().value,
        "[0.68377224 0.68377224]");
EXAMPLE(optim::adadelta, optim::adadelta(sum(square(p)), {p}, 0.1).back().value,
        "[0.99955279 0.99955279]");
EXAMPLE(optim::adam, optim::adam(sum(square(p)), {p}, 0.1)[2].value, "[0.9 0.9]");
EXAMPLE(optim::adamw, optim::adamw(sum(square(p)), {p}, 0.1)[2].value, "[0.899 0.899]");

EXAMPLE(solvers::cg, linalg::cg([&](auto u) { return std::vector{dot(s, u[0])}; }, {r}).x,
        "[1. 2.]");
EXAMPLE(solvers::bicgstab,
        linalg::bicgstab([&](auto u) { return std::vector{dot(s, u[0])}; }, {r}).x, "[1. 2.]");
EXAMPLE(solvers::gmres, linalg::gmres([&](auto u) { return std::vector{dot(s, u[0])}; }, {r}).x,
        "[1. 2.]");
EXAMPLE(solvers::root,
        optimize::root([](auto u) { return std::vector{square(u[0]) - 2}; }, {ones({1})}).x,
        "[1.41421356]");
EXAMPLE(solvers::fixed_point,
        optimize::fixed_point([](auto u) { return std::vector{cos(u[0])}; }, {ones({1})}).x,
        "[0.73908513]");
EXAMPLE(
    solvers::minimize,
    around(optimize::minimize([](auto u) { return sum(square(u[0] - 3)) + 1; }, {zeros({2})}).x[0],
           4),
    "[3. 3.]");
EXAMPLE(solvers::odeint,
        integrate::odeint([](auto u, auto) { return std::vector{-u[0]}; }, {Array(1.0)},
                          arange(3, float64)),
        "[1.         0.36787944 0.13533528]");
EXAMPLE(solvers::solve_ivp,
        integrate::solve_ivp([](auto u, auto) { return std::vector{-u[0]}; }, Array(0.0),
                             Array(1.0), {ones({1})})
            .rows.y[0](-1),
        "[0.36809008]");

EXAMPLE(save_array, save_array("line.npy", Array::from<double>({1, 2})));
EXAMPLE(load_array, load_array("line.npy"), "[1. 2.]");
EXAMPLE(save_values, save_values("model.npz", {{"weights", ones({2, 3})}, {"bias", zeros({3})}}));
EXAMPLE(load_values, load_values("model.npz")[1].first, "bias");
EXAMPLE(array_named, array_named(load_values("model.npz"), "bias"));
EXAMPLE(save_function, save_function("doubled.gn", {x}, {2 * x}));
EXAMPLE(load_function, load_function("doubled.gn")(line), "[6. 2. 4. 0. 4.]");
EXAMPLE(read_graph, read_graph("doubled.gn").outputs.size(), "1");
EXAMPLE(inputs_of, describe(inputs_of(read_graph("doubled.gn"))[0]), "x: f64[x.0]");
EXAMPLE(write_graph, write_graph("doubled_too.gn", read_graph("doubled.gn")));
EXAMPLE(canonical_text, canonical_text("doubled.gn"));
EXAMPLE(library_kinds, library_kinds()[0], "o");
EXAMPLE(export_library,
        export_library("doubling", std::array{LibraryFunction("doubled", {x}, {2 * x})}));
EXAMPLE(write_library,
        write_library(export_library("doubling",
                                     std::array{LibraryFunction("doubled", {x}, {2 * x})}),
                      ".", std::vector<std::string>{"a"}));

EXAMPLE(array_of, array_of(Eigen::Vector3d(1, 2, 3)), "[1. 2. 3.]");
EXAMPLE(vector_of, vector_of<double>(line).sum(), "8");
EXAMPLE(matrix_of, matrix_of<double>(grid).trace(), "6");
