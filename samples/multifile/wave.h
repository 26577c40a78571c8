/* The wave equation on a rectangular membrane with a fixed rim. Grids are (rows + 2) x (columns + 2), row by row. */
#ifndef WAVE_H
#define WAVE_H

#include <stddef.h>

/* The membrane at rest with one bump, at two consecutive times. */
void wave_init(int rows, int columns, float *before, float *now);

/* One time step: overwrites `before`, which it needs no more, with the membrane after `now`. */
void wave_step(int rows, int columns, float *restrict before, const float *restrict now);

/* The largest elevation, up or down. */
float wave_peak(int rows, int columns, const float *now);

/* A hash of the grid's bytes. */
unsigned long long wave_checksum(int rows, int columns, const float *now);

#endif
