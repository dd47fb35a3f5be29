#define _GNU_SOURCE
#include "CCurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

// The ABI has been stable under this name since 2006. A library refuses options that it does not
// know.
#define CCURL_SONAME "libcurl.so.4"

#define CCURL_POINTER(result, name, parameters, arguments) result(*name) parameters;
static struct {
  CCURL_FUNCTIONS(CCURL_POINTER)
  CURLcode (*global_init)(long flags);
  CURLcode (*easy_setopt)(CURL *handle, CURLoption option, ...);
  CURLcode (*easy_getinfo)(CURL *handle, CURLINFO info, ...);
} table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];

static void *find(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (!function && !problem[0])
    snprintf(problem, sizeof problem, "%s lacks the function %s", CCURL_SONAME, name);
  return function;
}

static void load(void) {
  void *library = dlopen(CCURL_SONAME, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "%s cannot be loaded (%s)", CCURL_SONAME, dlerror());
    return;
  }
#define CCURL_FIND(result, name, parameters, arguments)                                            \
  table.name = (result(*) parameters)find(library, "curl_" #name);
  CCURL_FUNCTIONS(CCURL_FIND)
  table.global_init = (CURLcode(*)(long))find(library, "curl_global_init");
  table.easy_setopt = (CURLcode(*)(CURL *, CURLoption, ...))find(library, "curl_easy_setopt");
  table.easy_getinfo = (CURLcode(*)(CURL *, CURLINFO, ...))find(library, "curl_easy_getinfo");
  if (problem[0]) return;
  if (table.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    snprintf(problem, sizeof problem, "%s cannot be started", CCURL_SONAME);
}

const char *ccurl_load(void) {
  pthread_once(&once, load);
  return problem[0] ? problem : NULL;
}

#define CCURL_DEFINE(result, name, parameters, arguments)                                          \
  result ccurl_##name parameters { return table.name arguments; }
CCURL_FUNCTIONS(CCURL_DEFINE)

CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return table.easy_setopt(handle, option, value);
}

CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return table.easy_setopt(handle, option, value);
}

CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return table.easy_setopt(handle, option, value);
}

CURLcode ccurl_set_mime(CURL *handle, curl_mime *mime) {
  return table.easy_setopt(handle, CURLOPT_MIMEPOST, mime);
}

CURLcode ccurl_set_error_buffer(CURL *handle, char *buffer) {
  return table.easy_setopt(handle, CURLOPT_ERRORBUFFER, buffer);
}

static size_t drop(char *bytes, size_t size, size_t count, void *context) {
  (void)bytes;
  size_t *left = context;
  size_t arrived = size * count;
  if (arrived > *left) return 0;
  *left -= arrived;
  return arrived;
}

CURLcode ccurl_drop_answer(CURL *handle, size_t *left) {
  CURLcode code = table.easy_setopt(handle, CURLOPT_WRITEDATA, left);
  return code != CURLE_OK ? code : table.easy_setopt(handle, CURLOPT_WRITEFUNCTION, drop);
}

long ccurl_status(CURL *handle) {
  long status = 0;
  return table.easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK ? status : 0;
}
