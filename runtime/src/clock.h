/* Time that only goes forward. */
#ifndef ACCSHARE_CLOCK_H
#define ACCSHARE_CLOCK_H

/* Seconds since some moment. */
double clock_seconds(void);

#endif
