#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* Where the library and its own variables are, as the linker knows. */
extern char __ehdr_start[] __attribute__((visibility("hidden"))), __bss_start[] __attribute__((visibility("hidden"))),
    _end[] __attribute__((visibility("hidden")));
enum { PAGE = 4096 };

/* Each page that is used for the first time is a fault; the first region would wait for all of them. */
__attribute__((constructor)) static void take_pages(void) {
#ifdef MADV_POPULATE_READ
  int error = errno;
  madvise(__ehdr_start, (size_t)(_end - __ehdr_start), MADV_POPULATE_READ);
  errno = error;
#endif
  for (volatile char *page = __bss_start; page < _end; page += PAGE) *page = *page;
}

void *library_open(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }

const char *library_error(void) { return dlerror(); }

bool library_is_open(const char *name) {
  void *open = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  return open && !dlclose(open);
}

void *library_symbol(void *library, const char *name) { return dlsym(library ? library : RTLD_DEFAULT, name); }

const char *library_file(const void *address) {
  Dl_info info;
  return dladdr(address, &info) ? info.dli_fname : NULL;
}
