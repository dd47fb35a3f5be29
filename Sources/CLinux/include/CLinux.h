// System calls that Swift's Glibc module does not show because their headers ask for _GNU_SOURCE.
#pragma once

/// A counter to wake a poll with; close-on-exec and non-blocking. -1 and errno on failure.
int linux_eventfd(void);
/// Names the calling thread; at most 15 bytes.
void linux_name_thread(const char *name);
/// A pipe whose ends are close-on-exec. 0, or -1 and errno.
int linux_pipe(int ends[2]);
/// An empty file in memory, without a name; close-on-exec. -1 and errno on failure.
int linux_memory_file(void);
/// Makes a file whose name is `path` with its last six letters, "XXXXXX", replaced; close-on-exec, for
/// its owner alone. -1 and errno on failure.
int linux_temporary_file(char *path);
/// A descriptor that becomes readable when the process ends; close-on-exec. -1 and errno.
int linux_pidfd_open(int pid);
/// Adds to a `posix_spawn_file_actions_t`: close every descriptor above 2, and begin in `folder`
/// unless it is NULL. 0, or an error number.
int linux_spawn_confine(void *actions, const char *folder);
/// Of a file: its kind and permissions as in `st_mode`, and the user whose it is.
struct linux_file_facts {
  unsigned int mode;
  unsigned int owner;
};
/// The facts of what lies at a path itself, be it a link. 0, or -1 and errno.
int linux_link_facts(const char *path, struct linux_file_facts *facts);
/// The facts of an open file. 0, or -1 and errno.
int linux_open_facts(int file, struct linux_file_facts *facts);
/// Makes malloc give back to the system at once what is freed in blocks of `bytes` or more; left to
/// itself it learns to keep them.
void linux_return_large_blocks(int bytes);
/// Gives all memory that was freed back to the system (malloc_trim(3)).
void linux_return_free_memory(void);
/// Holds the terminal: what is typed is not shown, and with `keys` arrives key by key; Ctrl-C and
/// Ctrl-Z stay signals. Whatever ends or stops the process, but for SIGKILL and SIGSTOP, finds the
/// terminal as it was. One holder at a time, on one thread. 0, or -1 where `in` is no terminal or
/// it is held.
///
/// `enter` and `leave`, at most 31 bytes, are written to `out` with each change. `wake` is an
/// eventfd that counts how often the process was continued after a stop, or -1.
int linux_terminal_hold(int in, int out, int keys, const char *enter, const char *leave, int wake);
/// Gives the terminal back.
void linux_terminal_release(void);
/// Whether standard input is at its end: stdio has kept nothing of it, and nothing can come any more.
/// Never waits: where something may come yet, it is not.
int linux_input_is_at_end(void);
