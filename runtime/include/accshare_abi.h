/* The contract between an object made by accshare-cc and the accshare runtime.
 *
 * Generated code repeats these declarations under the same names; a change here that moves or adds a field raises
 * ACCSHARE_ABI. The runtime still serves objects of 1, which know nothing of `sizes`, of 2, which know nothing of
 * `pays` and `small`, of 3, which know nothing of `units`, of 4, which know nothing of `find`, of 5, which know nothing of
 * `declare` and of modifiers, of 6, which know nothing of TAKE, of 7, which know nothing of `atomics`, of 8, which know nothing of `rows`, of 9, which know nothing of `control`, of 10, which know nothing of native kernels, of 11, which don't tell when host loops end, of 12, whose
 * kernels may have a flag (4) and a macro that mean nothing now, of 13, which know nothing of `early`, of 14, which know nothing of `outermost`, of 15, which know nothing of `look`, and of 16, which know nothing of `in_bands`. Everything is plain C99 and needs no other header.
 */
#ifndef ACCSHARE_ABI_H
#define ACCSHARE_ABI_H

#define ACCSHARE_ABI 17

/* `bytes` of a datum of a directive that is a pointer without a section: the whole section that is present and holds
 * `origin`. When there is none, the datum is left out, unless the directive asks for it to be present. */
#define ACCSHARE_WHOLE (~0UL)

/* What happens to a datum on entry and exit. Presence is counted as OpenACC 3.x 2.7 specifies. */
enum accshare_movement {
  ACCSHARE_COPY,
  ACCSHARE_COPYIN,
  ACCSHARE_COPYOUT,
  ACCSHARE_CREATE,
  ACCSHARE_PRESENT,
  ACCSHARE_NO_CREATE,
  ACCSHARE_DELETE,
  ACCSHARE_DEVICEPTR,
  ACCSHARE_UPDATE_HOST,
  ACCSHARE_UPDATE_DEVICE
};
/* Modifiers, beside the movement in the same field. ZERO and CAPTURE give the device memory of its own, ZERO fills it where
 * it is new; ALWAYS_IN and ALWAYS_OUT copy although the data are present or stay so.
 * ROWS, in directives: the section is of pointers, which stay where they are. The next datum says what of the rows they lead
 * to is meant: its `origin` is none, its `lower` counts from each pointer.
 * PACKED, the runtime's own: the section is a copy of rows that lie apart. */
enum {
  ACCSHARE_MOVEMENT = 0xff,
  ACCSHARE_ZERO = 0x100,
  ACCSHARE_CAPTURE = 0x200,
  ACCSHARE_ALWAYS_IN = 0x400,
  ACCSHARE_ALWAYS_OUT = 0x800,
  ACCSHARE_ROWS = 0x1000,
  ACCSHARE_PACKED = 0x2000
};

/* One section of host memory. `origin` is the address of element 0 of the array as the kernel indexes it; the
 * section is [origin + lower, origin + lower + bytes). `element` is the element size the kernel counts in. */
typedef struct accshare_datum {
  const char *name;
  void *origin;
  long lower;
  unsigned long bytes;
  unsigned long element;
  int movement;
} accshare_datum;

/* ONE_CPU: for the CPU device whose name `target` is made from; others do better with a general variant.
 * NEEDS_SOUND_BARRIERS: it has barriers or conditions that PoCL compiles to something else.
 * NATIVE: the kernels are functions of the program itself, without source; `options` names the instruction set that they were
 * compiled for, empty for what the rest of the program has.
 * ANY_EXTENT: of these kernels, no result hangs on how far data reach whose extents `find` does not find.
 * ANY_THREADS: their launches don't ask how many threads there are.
 * IN_PARTS: a launch may be several with parts of the grid, each at a global offset of whole work-groups. */
enum {
  ACCSHARE_NEEDS_FP64 = 1,
  ACCSHARE_ONE_CPU = 2,
  ACCSHARE_NEEDS_ATOMICS64 = 8,
  ACCSHARE_NEEDS_SOUND_BARRIERS = 16,
  ACCSHARE_NATIVE = 32,
  ACCSHARE_ANY_EXTENT = 64,
  ACCSHARE_ANY_THREADS = 128,
  ACCSHARE_IN_PARTS = 256
};

/* What a region touches of a row: the columns [first, end), and of these [written_first, written_end) in writing. */
typedef struct accshare_row {
  long first, end;
  long written_first, written_end;
} accshare_row;

/* `count` rows from `first` on of a table of pointers to rows, of which the region's datum `datum` becomes one buffer: element j
 * of row i is `pitch` * i + j. `rows` and what follows is the runtime's, but for the contents of `rows`. */
typedef struct accshare_rows {
  void *const *table;
  unsigned datum;
  long first, count;
  long pitch;
  accshare_row *rows;
  void *packed;
} accshare_rows;

/* In this order. OPEN: gives room for `rows`, which the caller fills. FIND: checks the rows, and tells `pays` by their data what
 * they take; 0: run the host loops, and the tables are closed. PACK: before `begin`, gives the pitch and the data. UNPACK: after `end`, the rows hold what the region wrote. DROP, instead
 * of PACK or UNPACK: the host loops run. */
enum accshare_rows_op { ACCSHARE_ROWS_OPEN, ACCSHARE_ROWS_FIND, ACCSHARE_ROWS_PACK, ACCSHARE_ROWS_UNPACK, ACCSHARE_ROWS_DROP };

/* One compilation of a region. `kind` is "cpu", "gpu" or "any". */
typedef struct accshare_variant {
  const char *target;
  const char *kind;
  const char *source;
  const char *options; /* for clBuildProgram */
  const char *const *kernels;
  unsigned kernel_count;
  unsigned long work_group;  /* work-items in the largest group */
  unsigned long local_bytes; /* local memory the largest kernel declares */
  unsigned flags;
} accshare_variant;

typedef struct accshare_region {
  const char *file;
  int line;
  const char *function;
  const char *name;
  const accshare_variant *variants;
  unsigned variant_count;
  void *runtime; /* the runtime's own; zero in the object */
} accshare_region;

/* What a region is to do this time. `operations` are those of all its iterations, counted for a core of the host;
 * `longest` those of them that a work-item does one after the other; `launches` how many kernels that takes; `atomics`
 * the changes of shared numbers in one piece, those by compare-and-exchange counted several times; `outermost` the
 * iterations of the first loop, which tell loops apart that take as many operations in another form. */
typedef struct accshare_work {
  double operations;
  double longest;
  double launches;
  double atomics;
  double outermost;
} accshare_work;

enum accshare_arg_kind { ACCSHARE_ARG_DATUM, ACCSHARE_ARG_SCRATCH, ACCSHARE_ARG_VALUE };

/* A DATUM takes two kernel arguments: the buffer, and the cl_long number of elements to add to its pointer so
 * that it points at `origin`. A SCRATCH takes two as well (the number is 0). A VALUE takes one. */
typedef struct accshare_arg {
  int kind;
  unsigned index;      /* into the data or the scratch of the session */
  const void *value;   /* VALUE: its bytes */
  unsigned long bytes; /* VALUE: how many */
} accshare_arg;

typedef struct accshare_launch {
  unsigned kernel; /* index into variant.kernels */
  int line;        /* of the loop nest, for notify and profile */
  long groups[3];  /* any below 1: nothing to do, and that is success */
  unsigned local[3];
  const accshare_arg *args;
  unsigned arg_count;
} accshare_launch;

typedef struct accshare_session accshare_session;

/* A native kernel: runs the work-groups [first, last) of a launch, which are numbered along x, then y, then z. */
typedef void accshare_groups(const void *arguments, long first, long last);

/* A region on its way through native kernels: of `variant`, on `threads` threads (0 where the kernels do not ask). The rest is the runtime's. */
typedef struct accshare_native {
  unsigned variant;
  long threads;
  accshare_region *region;
  void *scratch;
  double start;
} accshare_native;

/* What an execution of a region has found out of its steps in bands and of sweeps; all 0 before. The runtime's. */
typedef struct accshare_pace {
  int block;
  int sweeps;
  double since, in_bands, in_sweeps;
} accshare_pace;

/* CLEAR: what follows runs on the host although its data were to be new on a device, and zero: the host's copy is filled, unless
 * the data are present. TAKE: the program goes on with present data by their host addresses, as if those were the device's. */
enum accshare_data_op { ACCSHARE_ENTER, ACCSHARE_EXIT, ACCSHARE_UPDATE, ACCSHARE_CLEAR, ACCSHARE_TAKE };
/* OWN_KERNELS: the program has native kernels, and data are in the host's memory until something else opens a device. */
enum accshare_control_op { ACCSHARE_INIT, ACCSHARE_SHUTDOWN, ACCSHARE_SET_DEVICE, ACCSHARE_SET_ASYNC, ACCSHARE_OWN_KERNELS };
/* STRUCTURED: the call opens or closes a `data` construct; without it, it is `enter data` or `exit data`. */
enum { ACCSHARE_FINALIZE = 1, ACCSHARE_IF_PRESENT = 2, ACCSHARE_STRUCTURED = 4 };

typedef struct accshare_api {
  int abi;

  /* Opens a region: picks device and variant, builds it, makes the data present and copies in. NULL: run the
   * host loops (the runtime has said why where the user asked to know). */
  accshare_session *(*begin)(accshare_region *region, const accshare_datum *data, unsigned count);
  /* The index of the chosen variant. */
  unsigned (*variant)(accshare_session *session);
  /* Allocates scratch memory; its index for ACCSHARE_ARG_SCRATCH counts from 0 in order of the calls. */
  int (*scratch)(accshare_session *session, unsigned long bytes);
  /* Queues a launch; 0 on failure, after which only `end` may follow. */
  int (*launch)(accshare_session *session, const accshare_launch *launch);
  /* Closes the region: waits, copies out, drops the data. 1: done. 0: something failed, host memory holds what it
   * held before the region, run the host loops. When that can't be guaranteed the runtime ends the program. */
  int (*end)(accshare_session *session);
  /* Says that the region runs on the host because of `reason` (a guard, an if clause); ends the program when
   * ACCSHARE_OFFLOAD=mandatory. `reason` NULL: by the program's own wish (if clause), never an error. */
  void (*host)(accshare_region *region, const char *reason);

  /* data, enter data, exit data, update. */
  void (*data)(int op, unsigned flags, const char *file, int line, const accshare_datum *data, unsigned count);
  void (*wait)(void);

  /* Says, before `begin`, what integers the region takes from outside: `count` names, and the value of each. NULL:
   * nobody wants to know. */
  void (*sizes)(accshare_region *region, const char *const *names, const long *values, unsigned count);

  /* Says, before `begin`, whether a device is expected to be faster than the host loops. 0: run those; the runtime has
   * told who wants to know, and host memory holds the data. Below 0: run those too, and say when they have ended (`ended`).
   * NULL: all that can run on a device is to run there. */
  int (*pays)(accshare_region *region, const accshare_work *work, const accshare_datum *data, unsigned count);
  /* Below so many operations `pays` would say no, and nobody wants to know; where it is more than 0, nobody wants to know
   * of a region that runs on the host by the program's own wish either. It changes from call to call, its place does not. */
  const volatile double *small;

  /* How many compute units the session's device has. */
  long (*units)(accshare_session *session);

  /* Before `begin`: makes the section of a datum, which the region certainly touches, all that is present around it; of a
   * section without bytes, around `origin`. 0: nothing is, run the host loops; where the movement asks for its presence,
   * the program has ended. 2: nothing is, and only native kernels can do without. */
  int (*find)(accshare_region *region, accshare_datum *datum);

  /* Says that data begin, or end, to be on every device that is in use or will be: those of declare directives outside of
   * functions. */
  void (*declare)(int begins, const char *file, int line, const accshare_datum *data, unsigned count);

  /* The steps of a region with tables of pointers to rows, `count` of them. */
  int (*rows)(int op, accshare_region *region, accshare_rows *tables, unsigned count, accshare_datum *data,
              unsigned data_count);

  /* init, shutdown, set: `type` is an acc_device_t, `number` a device's, or a queue for SET_ASYNC; below 0 none is given. */
  void (*control)(int op, int type, int number);

  /* In place of `begin`: 1 where native kernels are to run the region, which are then launched one after the other on the
   * addresses of the host. 0: they can't; a region without other variants runs its host loops, and that was said. */
  int (*native)(accshare_region *region, const accshare_datum *data, unsigned count, accshare_native *run);
  /* Memory until native_end; NULL: there is none. */
  void *(*native_scratch)(accshare_native *run, unsigned long bytes);
  /* Runs all work-groups of a launch, whose `args` are none; `arguments` are those of `groups`. */
  void (*native_launch)(accshare_native *run, const accshare_launch *launch, accshare_groups *groups, const void *arguments);
  void (*native_end)(accshare_native *run);

  /* Says that host loops have ended which `pays` asked that of, on the same thread. */
  void (*ended)(accshare_region *region);

  /* As `pays`, of a region with tables of rows, before OPEN: to look at the rows takes longer than a small region. Above 0: go on,
   * and ask `pays`. NULL: as there. */
  int (*early)(accshare_region *region, const accshare_work *work);

  /* Before native kernels are launched: runs so many work-groups of what looks at their data first. */
  void (*look)(accshare_groups *groups, const void *arguments, long count);

  /* Before native kernels run each block of steps, of which `left` are left: 1 where it is to be in bands, 0 sweep by sweep. */
  int (*in_bands)(accshare_region *region, const accshare_datum *data, unsigned count, accshare_pace *pace, long left);
} accshare_api;

/* The only symbol generated code looks up. NULL when the runtime can't serve this ABI. */
const accshare_api *accshare_runtime(int abi);

/* Not 0: an object that is linked with the runtime has native kernels, as OWN_KERNELS says later. */
extern int accshare_own_kernels;

/* For compilers: builds a region for each device of this machine that would run it, and keeps that for programs to come. How many
 * devices have their kernels now. */
int accshare_prebuild(accshare_region *region);

/* For tools: the devices found, as a JSON array of objects. The text lives as long as the process. */
const char *accshare_devices_json(void);

/* For tools: runs the first `count` groups of a launch by the threads of native kernels. */
void accshare_run_groups(accshare_groups *groups, const void *arguments, long count);

#endif
