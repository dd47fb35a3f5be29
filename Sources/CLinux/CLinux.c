#define _GNU_SOURCE
#include "CLinux.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int linux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

void linux_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int linux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int linux_memory_file(void) { return memfd_create("theater", MFD_CLOEXEC); }

int linux_temporary_file(char *path) { return mkostemp(path, O_CLOEXEC); }

int linux_pidfd_open(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

int linux_spawn_confine(void *actions, const char *folder) {
  int outcome = posix_spawn_file_actions_addclosefrom_np(actions, 3);
  return outcome || !folder ? outcome : posix_spawn_file_actions_addchdir_np(actions, folder);
}

void linux_return_large_blocks(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

void linux_return_free_memory(void) { malloc_trim(0); }

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
