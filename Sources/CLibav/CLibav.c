#define _GNU_SOURCE
#include "CLibav.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define LAV_TEXT_(x) #x
#define LAV_TEXT(x) LAV_TEXT_(x)
// The library whose structures we were compiled against: another major version lays them out
// differently, so the number is part of the name.
#define LAV_SONAME(name, major) "lib" name ".so." LAV_TEXT(major)

#define LAV_POINTER(library, result, name, parameters, arguments) result(*name) parameters;
static struct {
  LAV_FUNCTIONS(LAV_POINTER)
} table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];
static int loaded;

static void *open_library(const char *name) {
  void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!handle && !problem[0])
    snprintf(problem, sizeof problem, "FFmpeg's %s cannot be loaded (%s)", name, dlerror());
  return handle;
}

static void *find(void *handle, const char *name) {
  void *function = handle ? dlsym(handle, name) : NULL;
  if (handle && !function && !problem[0])
    snprintf(problem, sizeof problem, "FFmpeg's libraries lack the function %s", name);
  return function;
}

static void load(void) {
  void *avutil = open_library(LAV_SONAME("avutil", LIBAVUTIL_VERSION_MAJOR));
  void *avcodec = open_library(LAV_SONAME("avcodec", LIBAVCODEC_VERSION_MAJOR));
  void *avformat = open_library(LAV_SONAME("avformat", LIBAVFORMAT_VERSION_MAJOR));
#define LAV_FIND(library, result, name, parameters, arguments)                                     \
  table.name = (result(*) parameters)find(library, #name);
  LAV_FUNCTIONS(LAV_FIND)
  if (problem[0]) return;
  // libav's log lines name pointers instead of files. Our own messages name the file and the next action.
  table.av_log_set_level(AV_LOG_QUIET);
  __atomic_store_n(&loaded, 1, __ATOMIC_RELEASE);
}

const char *lav_load(void) {
  pthread_once(&once, load);
  return problem[0] ? problem : NULL;
}

int lav_is_loaded(void) { return __atomic_load_n(&loaded, __ATOMIC_ACQUIRE); }

#define LAV_DEFINE(library, result, name, parameters, arguments)                                   \
  result lav_##name parameters { return table.name arguments; }
LAV_FUNCTIONS(LAV_DEFINE)
