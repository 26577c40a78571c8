#include "library.h"

#include <dlfcn.h>
#include <stddef.h>

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
