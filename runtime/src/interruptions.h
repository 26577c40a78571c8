#ifndef ACCSHARE_INTERRUPTIONS_H
#define ACCSHARE_INTERRUPTIONS_H

/* What befell a thread: pages that it touched for the first time, how often somebody else took its processor, and how often it slept. */
typedef struct interruptions {
  long pages, stops, sleeps;
} interruptions;

/* Of the calling thread so far; zeros where nobody tells. */
interruptions interruptions_so_far(void);

#endif
