/* The loops that SUPER (CC 2017) is measured with, as a textbook has them: products, sums of rows and columns, stencils,
 * a Fourier sum over samples, and two steps of a pentadiagonal solver. two_levels.py counts what their kernels do,
 * programs/two_levels.c takes their time. */
#include <math.h>

#include "two_levels/two_products.c"
#include "two_levels/three_products.c"
#include "two_levels/atax.c"
#include "two_levels/bicg.c"
#include "two_levels/covariance.c"
#include "two_levels/doitgen.c"
#include "two_levels/product.c"
#include "two_levels/gemver.c"
#include "two_levels/gesummv.c"
#include "two_levels/jacobi_2d.c"
#include "two_levels/jacobi_2d_alt.c"
#include "two_levels/mvt.c"
#include "two_levels/symm.c"
#include "two_levels/syr2k.c"
#include "two_levels/mri_q.c"
#include "two_levels/penta_coefficients.c"
#include "two_levels/penta_substitution.c"
