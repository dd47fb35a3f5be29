#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int linux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void linux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int linux_memory_file(void) { return memfd_create("theater", MFD_CLOEXEC); }

int linux_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int linux_nice_thread(int increment) {
  // On Linux a nice value belongs to a thread, addressed by its id.
  id_t thread = (id_t)syscall(SYS_gettid);
  return setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + increment);
}

int linux_realtime_thread(int priority) {
  struct sched_param parameters = {.sched_priority = priority};
  return pthread_setschedparam(pthread_self(), SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters);
}

int linux_spawn_confine(void *actions, const char *folder) {
  int outcome = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  return outcome ? outcome : posix_spawn_file_actions_addchdir_np(actions, folder);
}

void linux_return_large_blocks(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

static int facts_of(int result, const struct stat *status, struct linux_file_facts *facts) {
  if (result == 0) {
    facts->mode = status->st_mode;
    facts->owner = status->st_uid;
  }
  return result;
}

int linux_link_facts(const char *path, struct linux_file_facts *facts) {
  struct stat status;
  return facts_of(lstat(path, &status), &status, facts);
}

int linux_open_facts(int file, struct linux_file_facts *facts) {
  struct stat status;
  return facts_of(fstat(file, &status), &status, facts);
}
