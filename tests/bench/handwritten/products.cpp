// Matrix products one after the other, without an interpreter between them.
#include <cblas.h>

namespace hand {

/// out [m, n] = a [m, k] b [k, n]; a and b by rows, or by columns if turned, with these distances.
struct Product {
  long m, n, k;
  long turned_a, apart_a, turned_b, apart_b;
  const float *a, *b;
  float* out;
};

extern "C" void products_f32(long count, const Product* products) {
  constexpr CBLAS_TRANSPOSE turns[] = {CblasNoTrans, CblasTrans};
  for (const Product* p = products; p != products + count; ++p) {
    if (p->m == 1) {
      const bool turned = p->turned_b != 0;
      cblas_sgemv(CblasRowMajor, turns[!turned], turned ? p->n : p->k, turned ? p->k : p->n, 1,
                  p->b, p->apart_b, p->a, p->turned_a ? p->apart_a : 1, 0, p->out, 1);
      continue;
    }
    cblas_sgemm(CblasRowMajor, turns[p->turned_a], turns[p->turned_b], p->m, p->n, p->k, 1, p->a,
                p->apart_a, p->b, p->apart_b, 0, p->out, p->n);
  }
}

}  // namespace hand
