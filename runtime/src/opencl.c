#include "opencl.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "library.h"
#include "message.h"

enum { MAX_PLATFORMS = 32, MAX_LIBRARIES = 8 };

static opencl_platform platforms[MAX_PLATFORMS];
static unsigned platform_count;
static opencl tables[MAX_LIBRARIES];
static unsigned table_count;

static const struct entry_point {
  const char *name;
  size_t offset; /* in struct opencl */
  unsigned slot; /* in a driver's dispatch table */
} entry_points[] = {
#define ENTRY(result, name, slot, parameters) {"cl" #name, offsetof(opencl, name), slot},
    CL_FUNCTIONS(ENTRY)
#undef ENTRY
};

enum { ENTRY_COUNT = sizeof entry_points / sizeof entry_points[0] };

/* ISO C has no cast from an object pointer to a function pointer; POSIX says the bytes are the same. */
static void set_entry(opencl *cl, unsigned index, void *address) {
  memcpy((char *)cl + entry_points[index].offset, &address, sizeof address);
}

static bool by_symbols(opencl *cl, void *handle) {
  for (unsigned i = 0; i < ENTRY_COUNT; i++) {
    void *address = library_symbol(handle, entry_points[i].name);
    if (!address) return false;
    set_entry(cl, i, address);
  }
  return true;
}

/* Every object of an ICD driver starts with a pointer to the driver's dispatch table. */
static void by_dispatch(opencl *cl, cl_platform_id platform) {
  void **dispatch;
  memcpy(&dispatch, platform, sizeof dispatch);
  for (unsigned i = 0; i < ENTRY_COUNT; i++) set_entry(cl, i, dispatch[entry_points[i].slot]);
}

static opencl *new_table(void) { return table_count < MAX_LIBRARIES ? &tables[table_count++] : NULL; }

static void add(const opencl *cl, const cl_platform_id *ids, cl_uint count, const char *library) {
  for (cl_uint i = 0; i < count && platform_count < MAX_PLATFORMS; i++) {
    platforms[platform_count++] = (opencl_platform){cl, ids[i], library};
  }
}

/* The file that holds `function`, for people to read; `otherwise` when the linker doesn't say. */
static const char *file_of(const opencl *cl, const char *otherwise) {
  void *address;
  memcpy(&address, &cl->GetPlatformIDs, sizeof address);
  const char *file = library_file(address);
  return file ? file : otherwise;
}

/* Platforms of a library that exports OpenCL's own symbols: an ICD loader, or an implementation by itself. */
static bool add_library(void *handle, const char *name) {
  opencl *cl = new_table();
  if (!cl) return false;
  if (!by_symbols(cl, handle)) {
    table_count--;
    return false;
  }
  cl_platform_id ids[MAX_PLATFORMS];
  cl_uint count = 0;
  if (cl->GetPlatformIDs(MAX_PLATFORMS, ids, &count) == CL_SUCCESS) {
    add(cl, ids, count < MAX_PLATFORMS ? count : MAX_PLATFORMS, file_of(cl, name));
  }
  return true;
}

/* Platforms of a vendor's driver without the ICD loader in between (cl_khr_icd says how). */
static bool add_driver(void *handle, const char *name) {
  void *symbol = library_symbol(handle, "clGetExtensionFunctionAddress");
  if (!symbol) return false;
  void *(*extension)(const char *);
  memcpy(&extension, &symbol, sizeof symbol);
  symbol = extension("clIcdGetPlatformIDsKHR");
  if (!symbol) return false;
  cl_int (*platform_ids)(cl_uint, cl_platform_id *, cl_uint *);
  memcpy(&platform_ids, &symbol, sizeof symbol);
  cl_platform_id ids[MAX_PLATFORMS];
  cl_uint count = 0;
  if (platform_ids(MAX_PLATFORMS, ids, &count) != CL_SUCCESS) return true;
  for (cl_uint i = 0; i < count && i < MAX_PLATFORMS; i++) {
    opencl *cl = new_table();
    if (!cl) return true;
    by_dispatch(cl, ids[i]);
    add(cl, &ids[i], 1, name);
  }
  return true;
}

static void add_drivers_without_icd(void) {
  static const char *const drivers[] = {"libnvidia-opencl.so.1", "libpocl.so.2", "libigdrcl.so", "libamdocl64.so"};
  for (unsigned i = 0; i < sizeof drivers / sizeof drivers[0]; i++) {
    if (library_is_open(drivers[i])) continue; /* the loader knows it already */
    void *handle = library_open(drivers[i]);
    if (handle) add_driver(handle, drivers[i]);
  }
}

/* $ACCSHARE_OPENCL names the one library to use; "none" stands for no OpenCL at all. */
static void add_named(const char *name) {
  if (!strcmp(name, "none")) return;
  void *handle = library_open(name);
  if (!handle) {
    warn("ACCSHARE_OPENCL: %s; running without a device", library_error());
  } else if (!add_library(handle, name) && !add_driver(handle, name)) {
    warn("ACCSHARE_OPENCL: %s is no OpenCL library; running without a device", name);
  }
}

static void find_platforms(void) {
  const char *named = setting("ACCSHARE_OPENCL");
  bool none = named && !strcmp(named, "none");
  bool in_process = !none && library_symbol(NULL, "clGetPlatformIDs") && add_library(NULL, "(this process)");
  /* A tool that took OpenCL's place (oclgrind) must see every call; the plain loader may be added to. */
  if (in_process && table_count && !strstr(file_of(&tables[0], ""), "libOpenCL")) return;
  if (!in_process && named && *named) {
    add_named(named);
    return;
  }
  static const char *const loaders[] = {"libOpenCL.so.1", "libOpenCL.so"};
  for (unsigned i = 0; i < 2 && !in_process; i++) {
    void *handle = library_open(loaders[i]);
    in_process = handle && add_library(handle, loaders[i]);
  }
  /* Whoever tells the loader what to load gets just that. */
  bool restricted = setting("OCL_ICD_VENDORS") || setting("OCL_ICD_FILENAMES");
  if (!platform_count || !restricted) add_drivers_without_icd();
}

const opencl_platform *opencl_platforms(unsigned *count) {
  static bool searched;
  if (!searched) find_platforms();
  searched = true;
  *count = platform_count;
  return platform_count ? platforms : NULL;
}

const char *opencl_error(cl_int code) {
  static const struct {
    cl_int code;
    const char *name;
  } names[] = {
      {-1, "CL_DEVICE_NOT_FOUND"},           {-2, "CL_DEVICE_NOT_AVAILABLE"},
      {-3, "CL_COMPILER_NOT_AVAILABLE"},     {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
      {-5, "CL_OUT_OF_RESOURCES"},           {-6, "CL_OUT_OF_HOST_MEMORY"},
      {-11, "CL_BUILD_PROGRAM_FAILURE"},     {-12, "CL_MAP_FAILURE"},
      {-30, "CL_INVALID_VALUE"},             {-34, "CL_INVALID_CONTEXT"},
      {-36, "CL_INVALID_COMMAND_QUEUE"},     {-37, "CL_INVALID_HOST_PTR"},
      {-38, "CL_INVALID_MEM_OBJECT"},        {-42, "CL_INVALID_BINARY"},
      {-43, "CL_INVALID_BUILD_OPTIONS"},     {-44, "CL_INVALID_PROGRAM"},
      {-45, "CL_INVALID_PROGRAM_EXECUTABLE"}, {-46, "CL_INVALID_KERNEL_NAME"},
      {-48, "CL_INVALID_KERNEL"},            {-49, "CL_INVALID_ARG_INDEX"},
      {-50, "CL_INVALID_ARG_VALUE"},         {-51, "CL_INVALID_ARG_SIZE"},
      {-52, "CL_INVALID_KERNEL_ARGS"},       {-54, "CL_INVALID_WORK_GROUP_SIZE"},
      {-55, "CL_INVALID_WORK_ITEM_SIZE"},    {-61, "CL_INVALID_BUFFER_SIZE"},
      {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
  };
  for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i].code == code) return names[i].name;
  }
  static char unknown[32];
  snprintf(unknown, sizeof unknown, "OpenCL error %d", (int)code);
  return unknown;
}
