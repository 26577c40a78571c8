/* The ways that a region can take. */
#ifndef ACCSHARE_WAYS_H
#define ACCSHARE_WAYS_H

/* Its host loops, native kernels on the processor's threads, kernels on a device of OpenCL. */
typedef enum way { ON_HOST, BY_THREADS, ON_DEVICE, WAYS } way;

#endif
