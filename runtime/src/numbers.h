#ifndef ACCSHARE_NUMBERS_H
#define ACCSHARE_NUMBERS_H

static inline double lesser(double a, double b) { return a < b ? a : b; }
static inline double greater(double a, double b) { return a > b ? a : b; }

#endif
