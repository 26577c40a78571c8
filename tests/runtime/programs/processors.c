/* processors ROOT COUNT: what the control groups below ROOT leave of COUNT processors. */
#include "processors.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  printf("%u\n", processors_limited((unsigned)atoi(argv[2]), argv[1]));
  return 0;
}
