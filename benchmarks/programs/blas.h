/* BLAS by the name of the element type: GEMM is cblas_sgemm or cblas_dgemm. */
#ifndef BLAS_H
#define BLAS_H

#include <cblas.h>

#define CHOOSE(single, twice) _Generic((real)0, float : single, double : twice)
#define GEMM CHOOSE(cblas_sgemm, cblas_dgemm)
#define GEMV CHOOSE(cblas_sgemv, cblas_dgemv)
#define SYRK CHOOSE(cblas_ssyrk, cblas_dsyrk)
#define DOT CHOOSE(cblas_sdot, cblas_ddot)

#endif
