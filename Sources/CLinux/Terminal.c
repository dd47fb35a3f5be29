#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// Whatever ends or stops the process must find the terminal as it was, so the way back lies in
// signal handlers, which may only call what POSIX lists as async-signal-safe: tcsetattr, write,
// tcgetpgrp, getpgrp, sigaction, pthread_sigmask and raise are.

static const int ends[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGTSTP, SIGABRT,
                           SIGILL, SIGTRAP, SIGSEGV, SIGBUS,  SIGFPE};
enum { END_COUNT = sizeof ends / sizeof *ends };

static struct termios before, held;
static struct sigaction ends_before[END_COUNT], continue_before;
static char hello[32], farewell[32];
static int input = -1, output = -1, waker = -1;
static volatile sig_atomic_t is_held;

static void say(const char *text) {
  ssize_t written = write(output, text, strlen(text));
  (void)written;
}

static void hold(void) {
  tcsetattr(input, TCSADRAIN, &held);
  say(hello);
}

static void let_go(int how) {
  tcsetattr(input, how, &before);
  say(farewell);
}

// In the background the terminal is the shell's; handlers block SIGTTOU, which would stop us.
static int is_ours(void) { return is_held && tcgetpgrp(input) == getpgrp(); }

static void go_on(void) {
  unsigned long long one = 1;
  if (!is_ours()) return;
  hold();
  ssize_t written = write(waker, &one, sizeof one);
  (void)written;
}

static void on_end(int number) {
  int error = errno;
  struct sigaction mine;
  sigset_t one, mask;
  // Keys that were typed ahead, such as half a password, must not reach the shell.
  if (is_ours()) let_go(TCSAFLUSH);
  for (int i = 0; i < END_COUNT; i++)
    if (ends[i] == number) sigaction(number, &ends_before[i], &mine);
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, &mask);
  raise(number);
  // Only a stop comes back here: when the process is continued, or where it could not be stopped.
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  sigaction(number, &mine, NULL);
  go_on();
  errno = error;
}

static void on_continue(int number) {
  (void)number;
  int error = errno;
  go_on();
  errno = error;
}

static void at_exit(void) { linux_terminal_release(); }

int linux_terminal_hold(int in, int out, int keys, const char *enter, const char *leave, int wake) {
  static int is_registered;
  struct sigaction action = {.sa_flags = SA_RESTART}, previous;
  if (is_held || tcgetattr(in, &before)) return -1;
  input = in, output = out, waker = wake;
  strncpy(hello, enter, sizeof hello - 1);
  strncpy(farewell, leave, sizeof farewell - 1);
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
  for (int i = 0; i < END_COUNT; i++) {
    sigaction(ends[i], NULL, &previous);
    // The parent process wants it ignored, as nohup does.
    ends_before[i] = previous;
    if (previous.sa_handler != SIG_IGN) sigaction(ends[i], &action, NULL);
  }
  action.sa_handler = on_continue;
  sigaction(SIGCONT, &action, &continue_before);
  is_held = 1;
  hold();
  return 0;
}

void linux_terminal_release(void) {
  if (!is_held) return;
  let_go(TCSADRAIN);
  is_held = 0;
  for (int i = 0; i < END_COUNT; i++) sigaction(ends[i], &ends_before[i], NULL);
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
