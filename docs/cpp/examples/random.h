// Examples of random numbers: states, distributions, orders and choices.

EXAMPLE(random::state, random::state(7), "[7 0]");
EXAMPLE(random::split, random::uniform(random::split(random::state(7))(0), {2}),
        "[0.32521238 0.79818738]");
EXAMPLE(random::fold_in, random::normal(random::fold_in(random::state(7), 3), {2}),
        "[-1.98978096  2.15133562]");
EXAMPLE(random::advance, random::advance(random::state(7), 10), "[ 7 10]");
EXAMPLE(random::bits, random::bits(random::state(7), {3}, uint32),
        "[4099963437 3221879260  490388034]");
EXAMPLE(random::integers, random::integers(random::state(7), {10}, 1, 7), "[5 1 5 6 1 6 2 1 6 4]");
EXAMPLE(random::uniform, random::uniform(random::state(7), {3}),
        "[0.75015222 0.08565787 0.79528404]");
EXAMPLE(random::uniform, random::uniform(random::state(7), {3}, -1, 1, float32),
        "[ 0.90919423  0.50030434 -0.7716453 ]");
EXAMPLE(random::random, random::random(random::state(7), {3}),
        "[0.75015222 0.08565787 0.79528404]");
EXAMPLE(random::normal, random::normal(random::state(7), {3}),
        "[ 0.31843865 -1.71876119  0.25945521]");
EXAMPLE(random::normal, random::normal(random::state(7), {3}, v(until(3)), 0.1),
        "[3.03184387 0.82812388 2.02594552]");
EXAMPLE(random::standard_normal, random::standard_normal(random::state(7), {3}),
        "[ 0.31843865 -1.71876119  0.25945521]");
EXAMPLE(random::lognormal, random::lognormal(random::state(7), {3}, 0, 0.5),
        "[1.1725951  0.42342427 1.13851821]");
EXAMPLE(random::truncated_normal, random::truncated_normal(random::state(7), {3}, 0, 1, -2, 2),
        "[ 0.6395587  -1.25626175  0.77845143]");
EXAMPLE(random::halfnormal, random::halfnormal(random::state(7), {3}),
        "[0.31843865 1.71876119 0.25945521]");
EXAMPLE(random::halfcauchy, random::halfcauchy(random::state(7), {3}),
        "[2.41584725 0.13536895 3.00183573]");
EXAMPLE(random::cauchy, random::cauchy(random::state(7), {3}),
        "[ 1.0009569  -3.62592463  1.33435312]");
EXAMPLE(random::standard_cauchy, random::standard_cauchy(random::state(7), {3}),
        "[ 1.0009569  -3.62592463  1.33435312]");
EXAMPLE(random::laplace, random::laplace(random::state(7), {3}),
        "[ 0.69375625 -1.76424705  0.89298463]");
EXAMPLE(random::logistic, random::logistic(random::state(7), {3}),
        "[ 1.0994243  -2.36784378  1.35707586]");
EXAMPLE(random::gumbel, random::gumbel(random::state(7), {3}),
        "[ 1.24660501 -0.89910153  1.47378899]");
EXAMPLE(random::exponential, random::exponential(random::state(7), {3}, 10),
        "[ 2.8747913  24.57394228  2.29055948]");
EXAMPLE(random::standard_exponential, random::standard_exponential(random::state(7), {3}),
        "[0.28747913 2.45739423 0.22905595]");
EXAMPLE(random::truncexpon, random::truncexpon(random::state(7), {3}, 2),
        "[1.04591593 0.0769516  1.16364388]");
EXAMPLE(random::rayleigh, random::rayleigh(random::state(7), {3}),
        "[0.75826002 2.21693222 0.67683964]");
EXAMPLE(random::weibull, random::weibull(random::state(7), {3}, 1.5),
        "[0.43558296 1.82102772 0.37436426]");
EXAMPLE(random::pareto, random::pareto(random::state(7), {3}, 3),
        "[0.10056796 1.26852856 0.07934242]");
EXAMPLE(random::power_function, random::power_function(random::state(7), {3}, 2),
        "[0.86611328 0.29267365 0.89178699]");
EXAMPLE(random::triangular, random::triangular(random::state(7), {3}, 0, 1, 4),
        "[2.26847659 0.5853473  2.43264824]");
EXAMPLE(random::gamma, random::gamma(random::state(7), {3}, 2.5),
        "[2.67000922 2.57145286 2.45122461]");
EXAMPLE(random::standard_gamma, random::standard_gamma(random::state(7), {3}, 2.5),
        "[2.67000922 2.57145286 2.45122461]");
EXAMPLE(random::invgamma, random::invgamma(random::state(7), {3}, 2.5),
        "[0.37453054 0.38888522 0.40795935]");
EXAMPLE(random::gengamma, random::gengamma(random::state(7), {3}, 4, 2, 1),
        "[1.45344303 1.42287103 1.38480746]");
EXAMPLE(random::beta, random::beta(random::state(7), {3}, 2, 3),
        "[0.36774904 0.74483833 0.30535152]");
EXAMPLE(random::chisquare, random::chisquare(random::state(7), {3}, 4),
        "[4.22499328 4.04912395 3.8353834 ]");
EXAMPLE(random::noncentral_chisquare, random::noncentral_chisquare(random::state(7), {3}, 4, 1),
        "[6.44241647 4.04912395 5.96213637]");
EXAMPLE(random::f, random::f(random::state(7), {3}, 4, 12), "[0.90174634 2.52151904 0.71816674]");
EXAMPLE(random::noncentral_f, random::noncentral_f(random::state(7), {3}, 4, 12, 1),
        "[1.37501414 2.52151904 1.11639636]");
EXAMPLE(random::t, random::t(random::state(7), {3}, 5), "[-0.31772322 -0.13064483 -0.09433692]");
EXAMPLE(random::standard_t, random::standard_t(random::state(7), {3}, 5),
        "[-0.31772322 -0.13064483 -0.09433692]");
EXAMPLE(random::wald, random::wald(random::state(7), {3}, 2, 4),
        "[2.50388698 0.63277469 2.40212411]");
EXAMPLE(random::vonmises, random::vonmises(random::state(7), {3}, 0, 4),
        "[ 1.08493717  0.24990694 -0.00662655]");

EXAMPLE(random::bernoulli, random::bernoulli(random::state(7), {10}, 0.3), "[0 1 0 0 1 0 1 1 0 0]");
EXAMPLE(random::binomial, random::binomial(random::state(7), {10}, 20, 0.3),
        "[ 7  8  2  5 11  5  6  6  9  2]");
EXAMPLE(random::betabinom, random::betabinom(random::state(7), {10}, 20, 2, 3),
        "[ 6  7  4 18  8  8  5  2  8  0]");
EXAMPLE(random::negative_binomial, random::negative_binomial(random::state(7), {10}, 3, 0.5),
        "[3 4 0 0 4 1 1 1 5 0]");
EXAMPLE(random::geometric, random::geometric(random::state(7), {10}, 0.25),
        "[ 1  9  1  1 17  1  5  7  1  3]");
EXAMPLE(random::poisson, random::poisson(random::state(7), {10}, 4), "[5 6 0 3 9 3 4 4 7 0]");
EXAMPLE(random::logseries, random::logseries(random::state(7), {10}, 0.6), "[1 1 1 1 6 1 2 3 1 1]");
EXAMPLE(random::zipf, random::zipf(random::state(7), {10}, 2), "[ 4  1  1  1  1  1  1  1 17  1]");
EXAMPLE(random::hypergeometric, random::hypergeometric(random::state(7), {10}, 6, 14, 10),
        "[2 2 2 4 3 5 2 4 2 4]");

EXAMPLE(random::multivariate_normal,
        random::multivariate_normal(random::state(7), {2}, v(until(2)), s),
        "[[ 3.63687731 -1.69102366]\n [ 3.51891042  1.21736365]]");
EXAMPLE(random::dirichlet, random::dirichlet(random::state(7), {2}, square(w)),
        "[[0.1673995  0.72850778 0.10409271]\n [0.02555516 0.93503002 0.03941482]]");
EXAMPLE(random::multinomial, random::multinomial(random::state(7), {3}, 10, softmax(w)),
        "[[5 0 5]\n [5 0 5]\n [7 0 3]]");
EXAMPLE(random::categorical, random::categorical(random::state(7), {10}, v),
        "[4 0 4 4 0 4 0 0 4 2]");
EXAMPLE(random::multivariate_hypergeometric,
        random::multivariate_hypergeometric(random::state(7), {3}, v, 4),
        "[[1 0 1 0 2]\n [1 0 1 0 2]\n [1 1 1 0 1]]");
EXAMPLE(random::permutation, random::permutation(random::state(7), 6), "[4 1 0 2 5 3]");
EXAMPLE(random::shuffle, random::shuffle(random::state(7), v), "[2. 1. 3. 2. 0.]");
EXAMPLE(random::permuted, random::permuted(random::state(7), m), "[[2. 1. 3.]\n [5. 7. 4.]]");
EXAMPLE(random::choice, random::choice(random::state(7), 10, 3, random::Replace::no), "[4 1 7]");
EXAMPLE(random::choice, take(v, random::choice(random::state(7), 5, 4)), "[0. 3. 0. 2.]");
EXAMPLE(random::distributions, random::distributions()[0].name, "bits");
EXAMPLE(random::find_distribution, random::find_distribution("normal")->dtype, "float64");
