/* Loops each iteration of which needs what others have left, as WAVE has them: what wavefronts.py counts. */

/* successive over-relaxation with three points: steps and places run by fronts 2 * t + i, in tiles */
void relaxed(int steps, int n, float A[n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n - 1; i++)
      A[i] = 0.25f * A[i - 1] + 0.5f * A[i] + 0.25f * A[i + 1];
}

/* WAVE's example: only that A[i + 1] is read before it changes forbids fronts that are steps */
void example(int steps, int n, float A[n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n - 1; i++)
      A[i] = 0.5f * (A[i] + A[i + 1]);
}

/* the same with a copy of what is read before it changes, and the steps therefore fronts */
void example_copied(int steps, int n, float A[restrict n], float B[restrict n])
{
#pragma acc kernels
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++)
      B[i] = A[i];
    for (int i = 0; i < n - 1; i++)
      A[i] = 0.5f * (A[i] + B[i + 1]);
  }
}
