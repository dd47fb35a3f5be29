#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// Signal handlers restore the terminal's mode before a signal ends or stops the process. They call
// only functions that POSIX lists as async-signal-safe, such as tcsetattr, write, tcgetpgrp,
// getpgrp, sigaction, pthread_sigmask and raise.

static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGTSTP, SIGABRT,
                              SIGILL,  SIGTRAP, SIGSEGV, SIGBUS,  SIGFPE};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };

static struct termios before, held;
static struct sigaction actions_before[SIGNAL_COUNT], continue_before;
static char enter_text[32], leave_text[32];
static int input = -1, output = -1, waker = -1;
static volatile sig_atomic_t is_held;
// Whether a thread restores the mode for a stop, or sets it again after one. Several threads can
// handle signals at a time. Another Ctrl-Z does nothing meanwhile: the screen is not drawn yet.
static atomic_int is_stopping;

static void write_text(const char *text) {
  ssize_t written = write(output, text, strlen(text));
  (void)written;
}

static void set_mode(void) {
  tcsetattr(input, TCSADRAIN, &held);
  write_text(enter_text);
}

static void restore_mode(int how) {
  tcsetattr(input, how, &before);
  write_text(leave_text);
}

// Whether the mode is set and the process is not in the background, where the terminal is the
// shell's and changing it stops the process by SIGTTOU. No other process controls a terminal that
// is not the session's own: tcgetpgrp fails there.
static int is_ours(void) {
  pid_t foreground = tcgetpgrp(input);
  return is_held && (foreground < 0 || foreground == getpgrp());
}

// Sets the mode after a stop, and wakes the program to draw the screen. `is_stopping` is cleared before that, so that
// a Ctrl-Z is not ignored once the screen is visible again.
static void set_mode_again(void) {
  unsigned long long one = 1;
  int is_set;
  // The process may come to the foreground between `is_ours` and the clearing of `is_stopping`; `on_continue`
  // ignores the SIGCONT of that time, so check again.
  do {
    is_set = is_ours();
    if (is_set) set_mode();
    is_stopping = 0;
  } while (!is_set && is_ours() && !atomic_exchange(&is_stopping, 1));
  if (!is_set) return;
  ssize_t written = write(waker, &one, sizeof one);
  (void)written;
}

static void on_end(int number) {
  if (number == SIGTSTP && atomic_exchange(&is_stopping, 1)) return;
  int error = errno;
  struct sigaction mine, continue_mine;
  sigset_t some, mask;
  // Keys that were typed ahead, such as half a password, must not reach the shell.
  if (is_ours()) restore_mode(TCSAFLUSH);
  // This signal stays pending until it is unblocked below. If another Ctrl-Z stops the process first, the SIGCONT that
  // continues the process discards this signal, so that the process does not stop again with the mode set.
  raise(number);
  for (int i = 0; i < SIGNAL_COUNT; i++)
    if (signals[i] == number) sigaction(number, &actions_before[i], &mine);
  // This thread sets the mode after the stop.
  sigaction(SIGCONT, &continue_before, &continue_mine);
  sigemptyset(&some);
  sigaddset(&some, number);
  sigaddset(&some, SIGCONT);
  pthread_sigmask(SIG_UNBLOCK, &some, &mask);
  // Reached only for SIGTSTP: when the process is continued, or if it could not be stopped.
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  // Before the mode is set: the default action would stop the process without restoring the mode.
  sigaction(number, &mine, NULL);
  sigaction(SIGCONT, &continue_mine, NULL);
  set_mode_again();
  errno = error;
}

static void on_continue(int number) {
  (void)number;
  int error = errno;
  // After Ctrl-Z the thread that handles it sets the mode, after SIGSTOP this one.
  if (!atomic_exchange(&is_stopping, 1)) set_mode_again();
  errno = error;
}

static void at_exit(void) { linux_terminal_release(); }

int linux_terminal_hold(int in, int out, int keys, const char *enter, const char *leave, int wake) {
  static int is_registered;
  struct sigaction action = {.sa_flags = SA_RESTART}, previous;
  if (is_held || tcgetattr(in, &before)) return -1;
  input = in, output = out, waker = wake;
  strncpy(enter_text, enter, sizeof enter_text - 1);
  strncpy(leave_text, leave, sizeof leave_text - 1);
  held = before;
  held.c_lflag &= ~(tcflag_t)ECHO;
  if (keys) {
    held.c_lflag &= ~(tcflag_t)(ICANON | IEXTEN);
    held.c_iflag &= ~(tcflag_t)(IXON | INLCR | IGNCR);
    held.c_iflag |= ICRNL;
    held.c_cc[VMIN] = 1, held.c_cc[VTIME] = 0;
  } else {
    held.c_lflag |= ECHONL;
  }
  if (!is_registered) is_registered = !atexit(at_exit);
  sigfillset(&action.sa_mask);
  action.sa_handler = on_end;
  for (int i = 0; i < SIGNAL_COUNT; i++) {
    sigaction(signals[i], NULL, &previous);
    // A signal that the parent process had ignored, as nohup does, stays ignored.
    actions_before[i] = previous;
    if (previous.sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
  }
  action.sa_handler = on_continue;
  sigaction(SIGCONT, &action, &continue_before);
  is_held = 1;
  set_mode();
  return 0;
}

void linux_terminal_release(void) {
  if (!is_held) return;
  if (is_ours()) restore_mode(TCSADRAIN);
  is_held = 0;
  for (int i = 0; i < SIGNAL_COUNT; i++) sigaction(signals[i], &actions_before[i], NULL);
  sigaction(SIGCONT, &continue_before, NULL);
}

int linux_input_is_at_end(void) {
  struct pollfd file = {.fd = STDIN_FILENO, .events = POLLIN};
  if (poll(&file, 1, 0) != 1) return 0;
  int next = getc(stdin);
  if (next == EOF) return 1;
  ungetc(next, stdin);
  return 0;
}
