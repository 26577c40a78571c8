/* Telling a user who looks on what takes so long. */
#ifndef ACCSHARE_PROGRESS_H
#define ACCSHARE_PROGRESS_H

/* Kernels for a device are built from here to `progress_end`. Once all that has taken a second it is said on stderr, if that is
 * a terminal, and once only. */
void progress_begin(const char *device);
void progress_end(void);

#endif
