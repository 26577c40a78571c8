#include "signals.h"

#include <stddef.h>

void signals_block(sigset_t *before) {
  static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  sigset_t most;
  sigfillset(&most);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&most, own[i]);
  pthread_sigmask(SIG_BLOCK, &most, before);
}
