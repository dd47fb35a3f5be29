#define _GNU_SOURCE
#include "CMosquitto.h"

#include <dlfcn.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define CMOSQUITTO_SONAME "libmosquitto.so.1"

#define CMOSQUITTO_POINTER(result, name, parameters, arguments) result(*name) parameters;
static struct {
  CMOSQUITTO_FUNCTIONS(CMOSQUITTO_POINTER)
  int (*lib_init)(void);
} table;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char problem[256];

static void *find(void *library, const char *name) {
  void *function = dlsym(library, name);
  if (!function && !problem[0])
    snprintf(problem, sizeof problem, "%s lacks the function %s", CMOSQUITTO_SONAME, name);
  return function;
}

static void load(void) {
  void *library = dlopen(CMOSQUITTO_SONAME, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    snprintf(problem, sizeof problem, "%s cannot be loaded (%s)", CMOSQUITTO_SONAME, dlerror());
    return;
  }
#define CMOSQUITTO_FIND(result, name, parameters, arguments)                                       \
  table.name = (result(*) parameters)find(library, "mosquitto_" #name);
  CMOSQUITTO_FUNCTIONS(CMOSQUITTO_FIND)
  table.lib_init = (int (*)(void))find(library, "mosquitto_lib_init");
  if (problem[0]) return;
  if (table.lib_init() != MOSQ_ERR_SUCCESS)
    snprintf(problem, sizeof problem, "%s cannot be started", CMOSQUITTO_SONAME);
}

const char *cmosquitto_load(void) {
  pthread_once(&once, load);
  return problem[0] ? problem : NULL;
}

#define CMOSQUITTO_DEFINE(result, name, parameters, arguments)                                     \
  result cmosquitto_##name parameters { return table.name arguments; }
CMOSQUITTO_FUNCTIONS(CMOSQUITTO_DEFINE)

uint64_t cmosquitto_bytes_read(int socket) {
  struct tcp_info info;
  memset(&info, 0, sizeof info);
  socklen_t size = sizeof info;
  if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return 0;
  int waiting = 0;
  if (ioctl(socket, FIONREAD, &waiting) != 0 || waiting < 0) waiting = 0;
  return info.tcpi_bytes_received > (uint64_t)waiting
             ? info.tcpi_bytes_received - (uint64_t)waiting
             : 0;
}
