// The training step as Gnomon writes it; see training_step_test.cpp.
// --- kernels0.cpp
#include "prelude/kernel.h"
using gn::i8; using gn::i16; using gn::i32; using gn::i64;
using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;
using f32x8 = gn::lanes<f32, 8>;
using f32x16 = gn::lanes<f32, 16>;

// sum = sum(square(reshape(w)))
void gnomon_k0(
    const gn::Call& call, const i64* dims, f32* __restrict sum, const f32* __restrict w) {
  gn::Chains<f32x8, 8> sum_parts(0.0f);
  gn::Chains<f32x8, 8> sum_rest(0.0f);
  gn::vector_loop<8, 8, true>(0, 7840, [&](i64 j, auto live, int chain) GN_BODY {
    const f32x8 w_j = gn::read<f32x8>(w + j, live, 0.0f);
    const f32x8 square = gn::square(w_j);
    auto& sum2 = gn::chain_of(sum_parts, sum_rest, live, chain);
    sum2 = gn::add(sum2, gn::keep(live, square, 0.0f));
  });
  const f32 sum2 = gn::fold_chains(sum_parts, sum_rest, [](auto a, auto b) { return gn::add(a, b); });
  sum[0] = sum2;
}

// dot = dot(x, w)
void gnomon_k1(
    const gn::Call& call, const i64* dims, const f32* __restrict a, const f32* __restrict b,
    f32* __restrict out) {
  const i64 x_0 = dims[0];
  const i64 tile_to = gn::floor_divide<i64>(x_0, 6);
  call.parallel(tile_to, 11, [=](i64 tile_from, i64 tile_to2, i32) {
    for (i64 tile = tile_from; tile < tile_to2; ++tile) {
      const i64 at = tile * 4704;
      const i64 at2 = tile * 60;
      {
        const i64 j = 0;
        const gn::Known<16, 10> live;
        f32x16 tile2[6];
        #pragma clang loop unroll(full)
        for (i64 r = 0; r < 6; ++r) {
          tile2[r] = gn::splat<f32x16>(0.0f);
        }
        for (i64 p = 0; p < 784; ++p) {
          const f32x16 b_p = gn::read<f32x16>(b + p * 10 + j, live, 0.0f);
          const i64 at3 = at + p;
          #pragma clang loop unroll(full)
          for (i64 r = 0; r < 6; ++r) {
            const f32 a_r = a[at3 + r * 784];
            const f32x16 tile2_value = tile2[r];
            const f32x16 fma = gn::fma(gn::splat<f32x16>(a_r), b_p, tile2_value);
            tile2[r] = fma;
          }
        }
        #pragma clang loop unroll(full)
        for (i64 r = 0; r < 6; ++r) {
          const f32x16 tile2_value = tile2[r];
          gn::write(out + at2 + r * 10 + j, tile2_value, live);
        }
      }
    }
  });
  const i64 rest_to = (-gn::floor_divide<i64>(x_0, 6) * 2 + ((x_0 + gn::floor_divide<i64>(x_0, 6) * 2 + 3) >> 2));
  const i64 count = gn::floor_divide<i64>(x_0, 6) * 6;
  const i64 count2 = (x_0 - 1);
  const i64 count3 = gn::floor_divide<i64>(x_0, 6) * 60;
  call.parallel(rest_to, 16, [=](i64 rest_from, i64 rest_to2, i32) {
    for (i64 rest = rest_from; rest < rest_to2; ++rest) {
      const i64 multiply = gn::multiply(rest, i64(4));
      const i64 add = gn::add(count, multiply);
      const i64 at = count3 + rest * 40;
      {
        const i64 j = 0;
        const gn::Known<16, 10> live;
        f32x16 tile[4];
        #pragma clang loop unroll(full)
        for (i64 r = 0; r < 4; ++r) {
          tile[r] = gn::splat<f32x16>(0.0f);
        }
        for (i64 p = 0; p < 784; ++p) {
          const f32x16 b_p = gn::read<f32x16>(b + p * 10 + j, live, 0.0f);
          #pragma clang loop unroll(full)
          for (i64 r = 0; r < 4; ++r) {
            const i64 minimum = gn::minimum(add + r, count2);
            const f32 a_r = a[p + minimum * 784];
            const f32x16 tile_value = tile[r];
            const f32x16 fma = gn::fma(gn::splat<f32x16>(a_r), b_p, tile_value);
            tile[r] = fma;
          }
        }
        #pragma clang loop unroll(full)
        for (i64 r = 0; r < 4; ++r) {
          const i64 add2 = gn::add(add, r);
          const bool less = gn::less(add2, x_0);
          const i64 out_at = at + r * 10;
          if (less) {
            const f32x16 tile_value = tile[r];
            gn::write(out + out_at + j, tile_value, live);
          }
        }
      }
    }
  });
}

// --- kernels1.cpp
#include "prelude/kernel.h"
using gn::i8; using gn::i16; using gn::i32; using gn::i64;
using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;
#include "prelude/exp.h"
#include "prelude/rows.h"
using boolx8 = gn::lanes<bool, 8>;
using i64x8 = gn::lanes<i64, 8>;
using u64x8 = gn::lanes<u64, 8>;
using f32x8 = gn::lanes<f32, 8>;

// max = max((b + dot(x, w)))
// sum = sum(exp(((b + dot(x, w)) - max((b + ...)))))
// subtract = (where(indicator(y), -reciprocal(cast(extent: i64)), 0) - ((exp((... - ...)) / sum(exp(......
// partial = sum((where(indicator(y), -reciprocal(...), 0) - ((exp(...) / sum(...)) * sum(where(..., ....., in parts
void gnomon_k2(
    const gn::Call& call, const i64* dims, f32* __restrict max, f32* __restrict sum,
    f32* __restrict subtract, f32* __restrict partial, const f32* __restrict b,
    const f32* __restrict dot, const i64* __restrict y) {
  const i64 x_0 = dims[0];
  const i64 y_0 = dims[2];
  const i64 b_to = ((x_0 + 63) >> 6);
  const f32 b_value = b[0];
  const f32 b_value2 = b[8];
  const f32 b_value3 = b[4];
  const f32 b_value4 = b[2];
  const f32 b_value5 = b[6];
  const f32 b_value6 = b[1];
  const f32 b_value7 = b[9];
  const f32 b_value8 = b[5];
  const f32 b_value9 = b[3];
  const f32 b_value10 = b[7];
  const u64 t = gn::convert<u64>(i64(10));
  const f32 t2 = gn::convert<f32>(y_0);
  const f32 reciprocal = gn::reciprocal(t2);
  const f32 negative = -reciprocal;
  call.parallel(b_to, 3, [=](i64 b2_from, i64 b2_to, i32) {
    for (i64 b2 = b2_from; b2 < b2_to; ++b2) {
      const i64 partial_at = b2 * 10;
      gn::few_vectors<8, 1, 10, gn::Known<8, 2>>(0, [&](i64 j, auto live, int) GN_BODY {
        gn::write(partial + partial_at + j, gn::splat<f32x8>(0.0f), live);
      });
      const i64 i_from = b2 * 64;
      const i64 i_to = gn::minimum(64 + i_from, x_0);
      gn::vector_loop<8, 1, false>(i_from, i_to, [&](i64 i, auto live, int) GN_BODY {
        f32x8 dot_rows[10];
        gn::read_rows<10>(dot_rows, dot + i * 10, 10, live);
        const f32x8 dot_rows_value = dot_rows[0];
        const f32x8 add = gn::splat<f32x8>(b_value) + dot_rows_value;
        const f32x8 dot_rows_value2 = dot_rows[8];
        const f32x8 add2 = gn::splat<f32x8>(b_value2) + dot_rows_value2;
        const f32x8 maximum = gn::maximum(add, add2);
        const f32x8 dot_rows_value3 = dot_rows[4];
        const f32x8 add3 = gn::splat<f32x8>(b_value3) + dot_rows_value3;
        const f32x8 maximum2 = gn::maximum(maximum, add3);
        const f32x8 dot_rows_value4 = dot_rows[2];
        const f32x8 add4 = gn::splat<f32x8>(b_value4) + dot_rows_value4;
        const f32x8 dot_rows_value5 = dot_rows[6];
        const f32x8 add5 = gn::splat<f32x8>(b_value5) + dot_rows_value5;
        const f32x8 maximum3 = gn::maximum(add4, add5);
        const f32x8 maximum4 = gn::maximum(maximum2, maximum3);
        const f32x8 dot_rows_value6 = dot_rows[1];
        const f32x8 add6 = gn::splat<f32x8>(b_value6) + dot_rows_value6;
        const f32x8 dot_rows_value7 = dot_rows[9];
        const f32x8 add7 = gn::splat<f32x8>(b_value7) + dot_rows_value7;
        const f32x8 maximum5 = gn::maximum(add6, add7);
        const f32x8 dot_rows_value8 = dot_rows[5];
        const f32x8 add8 = gn::splat<f32x8>(b_value8) + dot_rows_value8;
        const f32x8 maximum6 = gn::maximum(maximum5, add8);
        const f32x8 dot_rows_value9 = dot_rows[3];
        const f32x8 add9 = gn::splat<f32x8>(b_value9) + dot_rows_value9;
        const f32x8 dot_rows_value10 = dot_rows[7];
        const f32x8 add10 = gn::splat<f32x8>(b_value10) + dot_rows_value10;
        const f32x8 maximum7 = gn::maximum(add9, add10);
        const f32x8 maximum8 = gn::maximum(maximum6, maximum7);
        const f32x8 maximum9 = gn::maximum(maximum4, maximum8);
        const i64x8 i_lanes = gn::indices<i64x8>(i);
        const boolx8 less = gn::less(i_lanes, gn::splat<i64x8>(y_0));
        const i64x8 y_at = gn::select(less, i_lanes, gn::splat<i64x8>(i64(0)));
        const i64x8 y_i = gn::read_at<i64x8>(y, y_at, live, i64(0));
        const i64x8 chosen = gn::select(less, y_i, gn::splat<i64x8>(i64(0)));
        const i64x8 add11 = gn::add(chosen, gn::splat<i64x8>(i64(10)));
        const boolx8 less2 = gn::less(chosen, gn::splat<i64x8>(i64(0)));
        const i64x8 chosen2 = gn::select(less2, add11, chosen);
        const u64x8 t3 = gn::convert<u64x8>(chosen2);
        const boolx8 bad = gn::greater_equal(t3, gn::splat<u64x8>(t));
        const i64x8 multiply = gn::multiply(i_lanes, gn::splat<i64x8>(i64(10)));
        call.check<8>(5, bad, live, i_lanes, chosen, gn::splat<i64x8>(i64(10)));
        const i64x8 chosen3 = gn::select(bad, gn::splat<i64x8>(i64(0)), chosen2);
        const boolx8 equal = gn::equal(chosen3, gn::splat<i64x8>(i64(0)));
        const boolx8 logical_and = gn::logical_and(less, equal);
        const f32x8 chosen4 = gn::select(logical_and, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const boolx8 equal2 = gn::equal(chosen3, gn::splat<i64x8>(i64(8)));
        const boolx8 logical_and2 = gn::logical_and(less, equal2);
        const f32x8 chosen5 = gn::select(logical_and2, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const f32x8 add12 = chosen4 + chosen5;
        const boolx8 equal3 = gn::equal(chosen3, gn::splat<i64x8>(i64(4)));
        const boolx8 logical_and3 = gn::logical_and(less, equal3);
        const f32x8 chosen6 = gn::select(logical_and3, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const f32x8 add13 = add12 + chosen6;
        const boolx8 equal4 = gn::equal(chosen3, gn::splat<i64x8>(i64(2)));
        const boolx8 logical_and4 = gn::logical_and(less, equal4);
        const f32x8 chosen7 = gn::select(logical_and4, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const boolx8 equal5 = gn::equal(chosen3, gn::splat<i64x8>(i64(6)));
        const boolx8 logical_and5 = gn::logical_and(less, equal5);
        const f32x8 chosen8 = gn::select(logical_and5, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const f32x8 add14 = chosen7 + chosen8;
        const f32x8 add15 = add13 + add14;
        const boolx8 equal6 = gn::equal(chosen3, gn::splat<i64x8>(i64(1)));
        const boolx8 logical_and6 = gn::logical_and(less, equal6);
        const f32x8 chosen9 = gn::select(logical_and6, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const boolx8 equal7 = gn::equal(chosen3, gn::splat<i64x8>(i64(9)));
        const boolx8 logical_and7 = gn::logical_and(less, equal7);
        const f32x8 chosen10 = gn::select(logical_and7, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const f32x8 add16 = chosen9 + chosen10;
        const boolx8 equal8 = gn::equal(chosen3, gn::splat<i64x8>(i64(5)));
        const boolx8 logical_and8 = gn::logical_and(less, equal8);
        const f32x8 chosen11 = gn::select(logical_and8, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const f32x8 add17 = add16 + chosen11;
        const boolx8 equal9 = gn::equal(chosen3, gn::splat<i64x8>(i64(3)));
        const boolx8 logical_and9 = gn::logical_and(less, equal9);
        const f32x8 chosen12 = gn::select(logical_and9, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const boolx8 equal10 = gn::equal(chosen3, gn::splat<i64x8>(i64(7)));
        const boolx8 logical_and10 = gn::logical_and(less, equal10);
        const f32x8 chosen13 = gn::select(logical_and10, gn::splat<f32x8>(negative), gn::splat<f32x8>(0.0f));
        const f32x8 add18 = chosen12 + chosen13;
        const f32x8 add19 = add17 + add18;
        const f32x8 add20 = add15 + add19;
        const f32x8 add21 = gn::splat<f32x8>(0.0f) + add20;
        gn::write(max + i, maximum9, live);
        const f32x8 subtract2 = add - maximum9;
        const f32x8 exp = gn::exp(subtract2);
        const f32x8 subtract3 = add2 - maximum9;
        const f32x8 exp2 = gn::exp(subtract3);
        const f32x8 add22 = exp + exp2;
        const f32x8 subtract4 = add3 - maximum9;
        const f32x8 exp3 = gn::exp(subtract4);
        const f32x8 add23 = add22 + exp3;
        const f32x8 subtract5 = add4 - maximum9;
        const f32x8 exp4 = gn::exp(subtract5);
        const f32x8 subtract6 = add5 - maximum9;
        const f32x8 exp5 = gn::exp(subtract6);
        const f32x8 add24 = exp4 + exp5;
        const f32x8 add25 = add23 + add24;
        const f32x8 subtract7 = add6 - maximum9;
        const f32x8 exp6 = gn::exp(subtract7);
        const f32x8 subtract8 = add7 - maximum9;
        const f32x8 exp7 = gn::exp(subtract8);
        const f32x8 add26 = exp6 + exp7;
        const f32x8 subtract9 = add8 - maximum9;
        const f32x8 exp8 = gn::exp(subtract9);
        const f32x8 add27 = add26 + exp8;
        const f32x8 subtract10 = add9 - maximum9;
        const f32x8 exp9 = gn::exp(subtract10);
        const f32x8 subtract11 = add10 - maximum9;
        const f32x8 exp10 = gn::exp(subtract11);
        const f32x8 add28 = exp9 + exp10;
        const f32x8 add29 = add27 + add28;
        const f32x8 add30 = add25 + add29;
        const f32x8 add31 = gn::splat<f32x8>(0.0f) + add30;
        gn::write(sum + i, add31, live);
        const f32x8 divide = exp / add31;
        const f32x8 multiply2 = divide * add21;
        const f32x8 subtract12 = chosen4 - multiply2;
        const f32x8 divide2 = exp6 / add31;
        const f32x8 multiply3 = divide2 * add21;
        const f32x8 subtract13 = chosen9 - multiply3;
        const f32x8 divide3 = exp4 / add31;
        const f32x8 multiply4 = divide3 * add21;
        const f32x8 subtract14 = chosen7 - multiply4;
        const f32x8 divide4 = exp9 / add31;
        const f32x8 multiply5 = divide4 * add21;
        const f32x8 subtract15 = chosen12 - multiply5;
        const f32x8 divide5 = exp3 / add31;
        const f32x8 multiply6 = divide5 * add21;
        const f32x8 subtract16 = chosen6 - multiply6;
        const f32x8 divide6 = exp8 / add31;
        const f32x8 multiply7 = divide6 * add21;
        const f32x8 subtract17 = chosen11 - multiply7;
        const f32x8 divide7 = exp5 / add31;
        const f32x8 multiply8 = divide7 * add21;
        const f32x8 subtract18 = chosen8 - multiply8;
        const f32x8 divide8 = exp10 / add31;
        const f32x8 multiply9 = divide8 * add21;
        const f32x8 subtract19 = chosen13 - multiply9;
        const f32x8 divide9 = exp2 / add31;
        const f32x8 multiply10 = divide9 * add21;
        const f32x8 subtract20 = chosen5 - multiply10;
        const f32x8 divide10 = exp7 / add31;
        const f32x8 multiply11 = divide10 * add21;
        const f32x8 subtract21 = chosen10 - multiply11;
        const f32x8 subtract_rows[] = {subtract12, subtract13, subtract14, subtract15, subtract16, subtract17, subtract18, subtract19, subtract20, subtract21};
        gn::write_rows<10>(subtract + i * 10, subtract_rows, live);
        const f32x8 partial_rows[] = {subtract12, subtract13, subtract14, subtract15, subtract16, subtract17, subtract18, subtract19, subtract20, subtract21};
        gn::update_rows<10>(partial + partial_at, partial_rows, live, [](auto a, auto b) GN_BODY { return gn::add(a, b); });
      });
    }
  });
}

// --- kernels2.cpp
#include "prelude/kernel.h"
using gn::i8; using gn::i16; using gn::i32; using gn::i64;
using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;
#include "prelude/log.h"
using boolx8 = gn::lanes<bool, 8>;
using i64x8 = gn::lanes<i64, 8>;
using u64x8 = gn::lanes<u64, 8>;
using f32x8 = gn::lanes<f32, 8>;

// ((sum(square(reshape(w))) * 9.999999747378752e-05) - (sum(index((... - ...), arange: i64[y...
void gnomon_k3(
    const gn::Call& call, const i64* dims, f32* __restrict out, f32* __restrict partial,
    const i64* __restrict y, const f32* __restrict b, const f32* __restrict dot,
    const f32* __restrict max, const f32* __restrict sum, const f32* __restrict sum2) {
  const i64 x_0 = dims[0];
  const i64 y_0 = dims[2];
  const i64 c_to = ((y_0 + 8191) >> 13);
  const i64 y_ahead = gn::minimum<i64>(1, (y_0 >> 15)) * 512;
  const u64 t = gn::convert<u64>(i64(10));
  call.parallel(c_to, 1, [=](i64 c_from, i64 c_to2, i32) {
    for (i64 c = c_from; c < c_to2; ++c) {
      const i64 j_from = c * 8192;
      const i64 j_to = gn::minimum(8192 + j_from, y_0);
      gn::Chains<f32x8, 8> sum_parts(0.0f);
      gn::Chains<f32x8, 8> sum_rest(0.0f);
      gn::vector_loop<8, 8, false>(j_from, j_to, [&](i64 j, auto live, int chain) GN_BODY {
        const i64x8 j_lanes = gn::indices<i64x8>(j);
        const boolx8 bad = gn::greater_equal(j_lanes, gn::splat<i64x8>(x_0));
        call.check<8>(6, bad, live, j_lanes, j_lanes, gn::splat<i64x8>(x_0));
        const i64x8 max_at = gn::select(bad, gn::splat<i64x8>(i64(0)), j_lanes);
        const i64x8 y_j = gn::read<i64x8>(y + j, live, i64(0));
        gn::prefetch(y + j, y_ahead, live);
        const i64x8 add = gn::add(y_j, gn::splat<i64x8>(i64(10)));
        const boolx8 less = gn::less(y_j, gn::splat<i64x8>(i64(0)));
        const i64x8 chosen = gn::select(less, add, y_j);
        const u64x8 t2 = gn::convert<u64x8>(chosen);
        const boolx8 bad2 = gn::greater_equal(t2, gn::splat<u64x8>(t));
        call.check<8>(6, bad2, live, j_lanes, y_j, gn::splat<i64x8>(i64(10)));
        const i64x8 b_at = gn::select(bad2, gn::splat<i64x8>(i64(0)), chosen);
        const f32x8 b_j = gn::read_at<f32x8>(b, b_at, live, 0.0f);
        const i64x8 multiply = gn::multiply(max_at, gn::splat<i64x8>(i64(10)));
        const i64x8 dot_at = gn::add(b_at, multiply);
        const f32x8 dot_j = gn::read_at<f32x8>(dot, dot_at, live, 0.0f);
        const f32x8 add2 = b_j + dot_j;
        const f32x8 max_j = gn::read_at<f32x8>(max, max_at, live, 0.0f);
        const f32x8 subtract = add2 - max_j;
        const f32x8 sum_j = gn::read_at<f32x8>(sum, max_at, live, 0.0f);
        const f32x8 log = gn::log(sum_j);
        const f32x8 subtract2 = subtract - log;
        auto& sum3 = gn::chain_of(sum_parts, sum_rest, live, chain);
        sum3 = gn::add(sum3, gn::keep(live, subtract2, 0.0f));
      });
      const f32 sum3 = gn::fold_chains(sum_parts, sum_rest, [](auto a, auto b) { return gn::add(a, b); });
      partial[c] = sum3;
    }
  });
  f32 sum3 = 0.0f;
  for (i64 c = 0; c < c_to; ++c) {
    const f32 partial_c = partial[c];
    sum3 = gn::add(sum3, partial_c);
  }
  const f32 sum2_value = sum2[0];
  const f32 multiply = sum2_value * 0.0001f;
  const f32 t2 = gn::convert<f32>(y_0);
  const f32 divide = sum3 / t2;
  const f32 subtract = multiply - divide;
  out[0] = subtract;
}

// --- kernels3.cpp
#include "prelude/kernel.h"
using gn::i8; using gn::i16; using gn::i32; using gn::i64;
using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;
using f32x8 = gn::lanes<f32, 8>;

// w = gemm(x, (where(indicator(y), -reciprocal(...), 0) - ((exp(...) / sum(...)) * sum(where(..., ..., 0)))), w)
void gnomon_k4(
    const gn::Call& call, const i64* dims, const f32* __restrict a, const f32* __restrict b,
    const f32* c, f32* out) {
  const i64 x_0 = dims[0];
  const i64 tile_grain = gn::maximum<i64>(1, gn::floor_divide<i64>(524288, gn::maximum<i64>(1, x_0 * 2560)));
  const i64 c_to = ((x_0 + 1023) >> 10);
  call.parallel(4, tile_grain, [=](i64 tile_from, i64 tile_to, i32 worker) {
    f32* scratch = call.scratch_of<f32>(worker, 0);
    for (i64 tile = tile_from; tile < tile_to; ++tile) {
      const i64 j_from = tile * 256;
      const i64 j_to = gn::minimum(256 + j_from, i64(784));
      const i64 at = tile * i64(-256);
      gn::vector_loop<8, 1, false>(j_from, j_to, [&](i64 j, auto live, int) GN_BODY {
        f32x8 tile2[10];
        #pragma clang loop unroll(full)
        for (i64 r = 0; r < 10; ++r) {
          tile2[r] = gn::splat<f32x8>(0.0f);
        }
        for (i64 c2 = 0; c2 < c_to; ++c2) {
          f32x8 tile3[10];
          #pragma clang loop unroll(full)
          for (i64 r = 0; r < 10; ++r) {
            tile3[r] = gn::splat<f32x8>(0.0f);
          }
          const i64 p_from = c2 * 1024;
          const i64 p_to = gn::minimum(1024 + p_from, x_0);
          for (i64 p = p_from; p < p_to; ++p) {
            const f32x8 a_p = gn::read<f32x8>(a + p * 784 + j, live, 0.0f);
            const i64 at2 = p * 10;
            #pragma clang loop unroll(full)
            for (i64 r = 0; r < 10; ++r) {
              const f32 b_r = b[at2 + r];
              const f32x8 tile3_value = tile3[r];
              const f32x8 fma = gn::fma(gn::splat<f32x8>(b_r), a_p, tile3_value);
              tile3[r] = fma;
            }
          }
          #pragma clang loop unroll(full)
          for (i64 r = 0; r < 10; ++r) {
            const f32x8 tile2_value = tile2[r];
            const f32x8 tile3_value = tile3[r];
            const f32x8 add = tile2_value + tile3_value;
            tile2[r] = add;
          }
        }
        #pragma clang loop unroll(full)
        for (i64 r = 0; r < 10; ++r) {
          const f32x8 tile2_value = tile2[r];
          gn::write(scratch + at + r * 256 + j, tile2_value, live);
        }
      });
      for (i64 i = j_from; i < j_to; ++i) {
        const i64 at2 = at + i;
        const i64 at3 = i * 10;
        #pragma clang loop unroll(full)
        for (i64 r = 0; r < 10; ++r) {
          const f32 scratch_r = scratch[at2 + r * 256];
          const i64 c_at = at3 + r;
          const f32 c_r = c[c_at];
          const f32 multiply = c_r * 0.99998f;
          const f32 fma = gn::fma(scratch_r, -0.1f, multiply);
          out[c_at] = fma;
        }
      }
    }
  });
}

// sum = sum((where(indicator(y), -reciprocal(...), 0) - ((exp(...) / sum(...)) * sum(where(..., .....
// b = multiply_add(sum((where(indicator(y), -..., 0) - ((... / ...) * sum(...)))), -0.1000000014...
void gnomon_k5(
    const gn::Call& call, const i64* dims, f32* __restrict sum, f32* b,
    const f32* __restrict partial, const f32* b2) {
  const i64 x_0 = dims[0];
  const i64 b_to = ((x_0 + 63) >> 6);
  gn::few_vectors<8, 1, 10, gn::Known<8, 2>>(0, [&](i64 j, auto live, int) GN_BODY {
    f32x8 sum2 = gn::splat<f32x8>(0.0f);
    for (i64 b3 = 0; b3 < b_to; ++b3) {
      const f32x8 partial_b3 = gn::read<f32x8>(partial + b3 * 10 + j, live, 0.0f);
      sum2 = gn::add(sum2, partial_b3);
    }
    gn::write(sum + j, sum2, live);
    const f32x8 b2_j = gn::read<f32x8>(b2 + j, live, 0.0f);
    const f32x8 multiply_add = gn::fma(sum2, gn::splat<f32x8>(-0.1f), b2_j);
    gn::write(b + j, multiply_add, live);
  });
}

// --- host.cpp
// compiled by Gnomon
#include "prelude/kernel.h"
using gn::i8; using gn::i16; using gn::i32; using gn::i64;
using gn::u8; using gn::u16; using gn::u32; using gn::u64; using gn::f32; using gn::f64;
#include "prelude/workspace.h"
void gnomon_k0(
    const gn::Call& call, const i64* dims, f32* __restrict sum, const f32* __restrict w);
void gnomon_k1(
    const gn::Call& call, const i64* dims, const f32* __restrict a, const f32* __restrict b,
    f32* __restrict out);
void gnomon_k2(
    const gn::Call& call, const i64* dims, f32* __restrict max, f32* __restrict sum,
    f32* __restrict subtract, f32* __restrict partial, const f32* __restrict b,
    const f32* __restrict dot, const i64* __restrict y);
void gnomon_k3(
    const gn::Call& call, const i64* dims, f32* __restrict out, f32* __restrict partial,
    const i64* __restrict y, const f32* __restrict b, const f32* __restrict dot,
    const f32* __restrict max, const f32* __restrict sum, const f32* __restrict sum2);
void gnomon_k4(
    const gn::Call& call, const i64* dims, const f32* __restrict a, const f32* __restrict b,
    const f32* c, f32* out);
void gnomon_k5(
    const gn::Call& call, const i64* dims, f32* __restrict sum, f32* b,
    const f32* __restrict partial, const f32* b2);

extern "C" __attribute__((visibility("default"))) i32 gnomon_plan([[maybe_unused]] const i64* extents, i64* plan) {
  const i64 x_0 = plan[2] = extents[0];
  const i64 x_1 = plan[3] = extents[1];
  const i64 y_0 = plan[4] = extents[2];
  if (extents[3] != i64(784)) return 1;
  if (extents[4] != i64(10)) return 2;
  if (extents[5] != i64(10)) return 3;
  if (x_1 != i64(784)) return 4;
  (void)x_0;
  (void)x_1;
  (void)y_0;
  plan[1] = i64(10240);
  const i64 sizes[] = {((i64(4) + 63) & ~i64(63)), ((x_0 * 40 + 63) & ~i64(63)), ((x_0 * 4 + 63) & ~i64(63)), ((x_0 * 4 + 63) & ~i64(63)), ((x_0 * 40 + 63) & ~i64(63)), ((((x_0 + 63) >> 6) * 40 + 63) & ~i64(63)), ((((y_0 + 8191) >> 13) * 4 + 63) & ~i64(63)), ((i64(40) + 63) & ~i64(63))};
  static const i32 lives[][2] = {{1, 5}, {2, 5}, {3, 5}, {3, 5}, {3, 6}, {3, 7}, {5, 5}, {7, 7}};
  i32 order[8];
  plan[0] = gn::place_buffers(8, sizes, lives, order, plan + 5);
  plan[13] = i64(784);
  plan[14] = i64(10);
  plan[15] = i64(10);
  return 0;
}

extern "C" __attribute__((visibility("default"))) i32 gnomon_run(const gnomon_services* services, gnomon_context* context, [[maybe_unused]] void* const* buffers, const i64* plan, void* workspace) {
  bool has_failed = false;
  const gn::Call call{services, context, static_cast<char*>(workspace) + plan[0], plan[1], &has_failed};
  [[maybe_unused]] const i64* dims = plan + 2;
  [[maybe_unused]] const i64 x_0 = dims[0];
  [[maybe_unused]] const i64 x_1 = dims[1];
  [[maybe_unused]] const i64 y_0 = dims[2];
  [[maybe_unused]] f32* x = (f32*)(buffers[0]);
  [[maybe_unused]] i64* y = (i64*)(buffers[1]);
  [[maybe_unused]] f32* w = (f32*)(buffers[2]);
  [[maybe_unused]] f32* b = (f32*)(buffers[3]);
  [[maybe_unused]] f32* sum = (f32*)((char*)workspace + plan[5]);
  [[maybe_unused]] f32* dot = (f32*)((char*)workspace + plan[6]);
  [[maybe_unused]] f32* max = (f32*)((char*)workspace + plan[7]);
  [[maybe_unused]] f32* sum2 = (f32*)((char*)workspace + plan[8]);
  [[maybe_unused]] f32* subtract = (f32*)((char*)workspace + plan[9]);
  [[maybe_unused]] f32* partial = (f32*)((char*)workspace + plan[10]);
  [[maybe_unused]] f32* t = (f32*)(buffers[4]);
  [[maybe_unused]] f32* partial2 = (f32*)((char*)workspace + plan[11]);
  [[maybe_unused]] f32* w2 = (f32*)(buffers[5]);
  [[maybe_unused]] f32* sum3 = (f32*)((char*)workspace + plan[12]);
  [[maybe_unused]] f32* b2 = (f32*)(buffers[6]);
  gnomon_k0(call, dims, sum, w);
  gnomon_k1(call, dims, x, w, dot);
  gnomon_k2(call, dims, max, sum2, subtract, partial, b, dot, y);
  if (call.failed()) return 1;
  call.check(7, (-gn::minimum<i64>(1, x_0) * gn::minimum<i64>(1, y_0) + gn::minimum<i64>(1, y_0)) != i64(0), 0, (-gn::minimum<i64>(1, x_0) * gn::minimum<i64>(1, y_0) + gn::minimum<i64>(1, y_0)), i64(0));
  if (call.failed()) return 1;
  gnomon_k3(call, dims, t, partial2, y, b, dot, max, sum2, sum);
  if (call.failed()) return 1;
  gnomon_k4(call, dims, x, subtract, w, w2);
  gnomon_k5(call, dims, sum3, b2, partial, b);
  return 0;
}

extern "C" {
extern __attribute__((visibility("default"))) const gnomon_info_record gnomon_info;
const gnomon_info_record gnomon_info = {GNOMON_ABI_VERSION, 6, 16, 7,
    "{\"extent_parameters\":[],\"failures\":[{\"entry\":-1,\"index\":false,\"nodes\":[],\"of\":2,\"parameter\":2,\"text\":\"call: expected {of}\"},{\"entry\":-1,\"index\":false,\"nodes\":[],\"of\":2,\"parameter\":2,\"text\":\"call: expected {of}\"},{\"entry\":-1,\"index\":false,\"nodes\":[],\"of\":3,\"parameter\":3,\"text\":\"call: expected {of}\"},{\"entry\":0,\"index\":false,\"nodes\":[],\"of\":-1,\"parameter\":-1,\"text\":\"dot: inner sizes differ: x: f32[x.0, x.1] and w: f32[784, 10]\"},{\"entry\":-1,\"index\":true,\"nodes\":[35],\"of\":1,\"parameter\":-1,\"text\":\"index: index {value} is out of range for extent {bound} of {of} (position {index})\"},{\"entry\":-1,\"index\":true,\"nodes\":[9],\"of\":-1,\"parameter\":-1,\"text\":\"index: index {value} is out of range for extent {bound} (position {index})\"},{\"entry\":-1,\"index\":true,\"nodes\":[9],\"of\":-1,\"parameter\":-1,\"text\":\"index: an index is out of range for extent 0 of subtract(subtract(...), log(...)): f32[x.0, 10]\"}],\"inputs\":[{\"dtype\":\"float32\",\"extents\":[\"x_0\",\"x_1\"],\"name\":\"x\",\"rank\":2},{\"dtype\":\"int64\",\"extents\":[\"y_0\"],\"name\":\"y\",\"rank\":1},{\"dtype\":\"float32\",\"extents\":[\"784\",\"10\"],\"name\":\"w\",\"rank\":2},{\"dtype\":\"float32\",\"extents\":[\"10\"],\"name\":\"b\",\"rank\":1}],\"kernels\":6,\"messages\":[],\"outputs\":[{\"dtype\":\"float32\",\"extents\":[],\"late\":false,\"name\":\"\",\"over\":-1,\"rank\":0,\"shape_at\":13},{\"dtype\":\"float32\",\"extents\":[\"784\",\"10\"],\"late\":false,\"name\":\"w\",\"over\":2,\"rank\":2,\"shape_at\":13},{\"dtype\":\"float32\",\"extents\":[\"10\"],\"late\":false,\"name\":\"b\",\"over\":3,\"rank\":1,\"shape_at\":15}],\"products\":0,\"symbols\":[\"x_0\",\"x_1\",\"y_0\"]}"};
}

