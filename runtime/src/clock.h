/* Time that only goes forward. */
#ifndef ACCSHARE_CLOCK_H
#define ACCSHARE_CLOCK_H

/* Seconds since some moment. */
double clock_seconds(void);
/* Seconds that the calling thread has had a processor; 0 where nobody tells. To ask takes a good part of a microsecond. */
double clock_own_seconds(void);

#endif
