#include "roomy.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "library.h"
#include "signals.h"

enum { STACK = 16 << 20, LITTLE = 1 << 20 };

typedef struct call {
  void (*work)(void *);
  void *argument;
} call;

static __thread bool here;

/* A program made with -fsanitize=leak or address is not to hear of what drivers keep until it ends, such as PoCL 3.1's
 * 16 bytes a compiler, nor of the environments that are lent to them. LLVM gives a thread another stack for signals, and
 * AddressSanitizer takes it for its own when the thread ends. */
static void unwatched(const call *call) {
  stack_t signals;
  bool known = sigaltstack(NULL, &signals) == 0;
  void (*disable)(void) = NULL, (*enable)(void) = NULL;
  void *symbols[] = {library_symbol(NULL, "__lsan_disable"), library_symbol(NULL, "__lsan_enable")};
  if (symbols[0] && symbols[1]) {
    memcpy(&disable, &symbols[0], sizeof disable);
    memcpy(&enable, &symbols[1], sizeof enable);
    disable();
  }
  call->work(call->argument);
  if (enable) enable();
  if (known) sigaltstack(&signals, NULL);
}

static void *run(void *argument) {
  here = true;
  unwatched(argument);
  return NULL;
}

bool roomy_here(void) { return here; }

/* Stacks of threads whose creator asks for nothing, such as a driver's, are as large as `ulimit -s` says. */
static bool widen(pthread_attr_t *usual) {
  size_t bytes;
  if (pthread_getattr_default_np(usual) != 0) return false;
  pthread_attr_t wide = *usual;
  bool little = !pthread_attr_getstacksize(&wide, &bytes) && bytes < STACK / 16;
  if (little && !pthread_attr_setstacksize(&wide, STACK) && !pthread_setattr_default_np(&wide)) return true;
  pthread_attr_destroy(usual);
  return false;
}

/* The lowest address of the calling thread's stack. The first thread's grows as far as the limit lets it. */
static uintptr_t lowest(uintptr_t now) {
  pthread_attr_t attributes;
  struct rlimit limit;
  void *start = NULL;
  size_t bytes = 0;
  if (getpid() == gettid()) {
    if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > now) return 0;
    return now - (uintptr_t)limit.rlim_cur;
  }
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  if (pthread_attr_getstack(&attributes, &start, &bytes) != 0) start = NULL;
  pthread_attr_destroy(&attributes);
  return (uintptr_t)start;
}

/* Whether the calling thread has little left. */
static bool is_little(void) {
  static __thread uintptr_t end;
  uintptr_t now = (uintptr_t)__builtin_frame_address(0);
  if (!end) end = lowest(now) + 1;
  return now < end + LITTLE;
}

void roomy_call(void (*work)(void *), void *argument) {
  call call = {work, argument};
  pthread_attr_t attributes, usual;
  pthread_t thread;
  sigset_t before;
  int cancellation;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
  bool widened = widen(&usual);
  signals_block(&before);
  bool started = is_little() && !pthread_create(&thread, &attributes, run, &call);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (started) {
    pthread_join(thread, NULL);
  } else {
    unwatched(&call);
  }
  if (widened) {
    pthread_setattr_default_np(&usual);
    pthread_attr_destroy(&usual);
  }
  pthread_setcancelstate(cancellation, NULL);
  pthread_attr_destroy(&attributes);
}
