// The ops of random numbers: Philox's words, and variates that take rejection.
#include <fmt/format.h>

#include "ir/op/numbers.h"
#include "runtime/error.h"
#include "stdlib/ops.h"
#include "stdlib/prelude/random/random.h"

namespace gnomon {

namespace {

// Key, counter and position are uint64; the parameters after them have the result's dtype.
template <DType dtype>
std::vector<Type> variate_type(TypeContext& context) {
  for (std::size_t i = 0; i < context.operands.size(); ++i) {
    const DType expected = i < 3 ? DType::uint64 : dtype;
    if (context.type(i).dtype != expected)
      context.fail(fmt::format("expected {} of {}, found {}",
                               i == 0   ? "a key"
                               : i == 1 ? "a counter"
                               : i == 2 ? "positions"
                                        : "parameters",
                               name_of(expected), describe(context.operands[i])));
  }
  return {Type{dtype, broadcast_shapes(context, context.operands)}};
}

gn::u64 as_word(const Cell& x) { return cell_get<std::uint64_t>(x); }
double as_number(const Cell& x) { return cell_get<double>(x); }

// The host version of gn::`name` with one, two, three parameters.
#define GNOMON_VARIATE(name)                                                                  \
  [](DType, std::span<const Cell> x) {                                                        \
    return cell_make(gn::name(as_word(x[0]), as_word(x[1]), as_word(x[2]), as_number(x[3]))); \
  }

}  // namespace

constinit const Op op::philox32{
    .name = "philox32",
    .doc =
        "Random words of 32 bits (in uint64) of Philox4x32-10, by key, counter and position: block "
        "position // 4 has four.",
    .operands = 3,
    .type = variate_type<DType::uint64>,
    .scalar = {"gn::philox32", "philox.h", "",
               [](DType, std::span<const Cell> x) {
                 return cell_make(
                     std::uint64_t{gn::philox32(as_word(x[0]), as_word(x[1]), as_word(x[2]))});
               },
               40}};

constinit const Op op::philox64{
    .name = "philox64",
    .doc =
        "Random words of 64 bits of Philox4x32-10, by key, counter and position: block position // "
        "2 has two.",
    .operands = 3,
    .type = variate_type<DType::uint64>,
    .scalar = {"gn::philox64", "philox.h", "",
               [](DType, std::span<const Cell> x) {
                 return cell_make(
                     std::uint64_t{gn::philox64(as_word(x[0]), as_word(x[1]), as_word(x[2]))});
               },
               40}};

constinit const Op op::random_below{
    .name = "random_below",
    .doc =
        "Uniform integers below the last operand, without bias; of all 64 bits where that is 0. "
        "By key, counter and position.",
    .operands = 4,
    .type = variate_type<DType::uint64>,
    .scalar = {"gn::random_below", "random.h", "",
               [](DType, std::span<const Cell> x) {
                 return cell_make(std::uint64_t{
                     gn::random_below(as_word(x[0]), as_word(x[1]), as_word(x[2]), as_word(x[3]))});
               },
               80}};

constinit const Op op::random_gamma{
    .name = "random_gamma",
    .doc =
        "Gamma variables of the given shape >= 1, by key, counter and position; NaN for other "
        "shapes.",
    .operands = 4,
    .type = variate_type<DType::float64>,
    .scalar = {"gn::random_gamma", "random.h", "", GNOMON_VARIATE(random_gamma), 400}};

constinit const Op op::random_poisson{
    .name = "random_poisson",
    .doc = "Poisson variables of the given mean, by key, counter and position; NaN for a mean < 0.",
    .operands = 4,
    .type = variate_type<DType::float64>,
    .scalar = {"gn::random_poisson", "random.h", "", GNOMON_VARIATE(random_poisson), 400}};

constinit const Op op::random_binomial{
    .name = "random_binomial",
    .doc =
        "Binomial variables of a number of trials and their probability, by key, counter and "
        "position; NaN outside n >= 0, 0 <= p <= 1.",
    .operands = 5,
    .type = variate_type<DType::float64>,
    .scalar = {"gn::random_binomial", "random.h", "",
               [](DType, std::span<const Cell> x) {
                 return cell_make(gn::random_binomial(as_word(x[0]), as_word(x[1]), as_word(x[2]),
                                                      as_number(x[3]), as_number(x[4])));
               },
               600}};

constinit const Op op::random_hypergeometric{
    .name = "random_hypergeometric",
    .doc =
        "How many of a sample are good, by key, counter and position, the numbers of good and bad "
        "things and that of the sample; NaN where there are not so many.",
    .operands = 6,
    .type = variate_type<DType::float64>,
    .scalar = {"gn::random_hypergeometric", "random.h", "",
               [](DType, std::span<const Cell> x) {
                 return cell_make(gn::random_hypergeometric(as_word(x[0]), as_word(x[1]),
                                                            as_word(x[2]), as_number(x[3]),
                                                            as_number(x[4]), as_number(x[5])));
               },
               900}};

constinit const Op op::random_vonmises{
    .name = "random_vonmises",
    .doc =
        "Von Mises variables around 0 of the given concentration, by key, counter and position; "
        "NaN for a concentration < 0.",
    .operands = 4,
    .type = variate_type<DType::float64>,
    .scalar = {"gn::random_vonmises", "random.h", "", GNOMON_VARIATE(random_vonmises), 500}};

constinit const Op op::random_zipf{
    .name = "random_zipf",
    .doc =
        "Zipf variables of the given exponent > 1, by key, counter and position; NaN for other "
        "exponents.",
    .operands = 4,
    .type = variate_type<DType::float64>,
    .scalar = {"gn::random_zipf", "random.h", "", GNOMON_VARIATE(random_zipf), 500}};

}  // namespace gnomon
