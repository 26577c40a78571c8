#include "ordering.h"

extern void __tsan_acquire(void *address) __attribute__((weak));
extern void __tsan_release(void *address) __attribute__((weak));

void ordering_hand_on(void *address) {
  if (__tsan_release) __tsan_release(address);
}

void ordering_receive(void *address) {
  if (__tsan_acquire) __tsan_acquire(address);
}

void ordering_raise(atomic_bool *flag) {
  ordering_hand_on(flag);
  atomic_store(flag, true);
}

bool ordering_raised(atomic_bool *flag) {
  bool raised = atomic_load(flag);
  if (raised) ordering_receive(flag);
  return raised;
}
