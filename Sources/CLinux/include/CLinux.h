// Functions of Linux and glibc for Swift. Most need _GNU_SOURCE, which Swift's Glibc module does
// not set; the signal handlers of the terminal must be C.
#pragma once

/// An eventfd that wakes a poll; close-on-exec and non-blocking. -1 and errno on failure.
int linux_eventfd(void);
/// Names the calling thread; at most 15 bytes.
void linux_name_thread(const char *name);
/// A pipe whose ends are close-on-exec. 0, or -1 and errno.
int linux_pipe(int ends[2]);
/// An empty file in memory, without a name; close-on-exec. -1 and errno on failure.
int linux_memory_file(void);
/// Makes and opens a file whose name is `path` with its last six letters, "XXXXXX", replaced;
/// close-on-exec, readable and writable by its owner alone. -1 and errno on failure.
int linux_temporary_file(char *path);
/// A descriptor that becomes readable when the process ends; close-on-exec. -1 and errno on
/// failure.
int linux_pidfd_open(int pid);
/// Adds to a `posix_spawn_file_actions_t`: close every descriptor above 2, and change to `folder`
/// unless it is NULL. 0, or an error number.
int linux_spawn_confine(void *actions, const char *folder);
/// The kind and permissions of a file, as in `st_mode`, and the id of its owner.
struct linux_file_facts {
  unsigned int mode;
  unsigned int owner;
};
/// Reads the facts of the file at a path; those of a symbolic link itself. 0, or -1 and errno.
int linux_link_facts(const char *path, struct linux_file_facts *facts);
/// Reads the facts of an open file. 0, or -1 and errno.
int linux_open_facts(int file, struct linux_file_facts *facts);
/// Makes malloc return freed blocks of `bytes` or more to the system at once. By default it raises
/// this threshold when large blocks are freed, and keeps them.
void linux_return_large_blocks(int bytes);
/// Returns all freed memory to the system (malloc_trim(3)).
void linux_return_free_memory(void);
/// Turns the terminal's echo off; with `keys`, input also arrives key by key. Ctrl-C and Ctrl-Z
/// remain signals. The terminal's mode is restored when the process ends or stops, except by
/// SIGKILL and SIGSTOP, and set again when the process continues in the foreground. Call this and
/// the release from one thread. 0, or -1 if `in` is no terminal or the mode is already set.
///
/// `enter` and `leave`, at most 31 bytes each, are written to `out` whenever the mode is set and
/// restored. `wake` is an eventfd that is signalled when the mode is set again after a stop, or -1.
int linux_terminal_hold(int in, int out, int keys, const char *enter, const char *leave, int wake);
/// Restores the terminal's mode.
void linux_terminal_release(void);
/// Whether standard input is at its end, with nothing left in the buffer of stdio. Never waits:
/// returns 0 if input may still come.
int linux_input_is_at_end(void);
