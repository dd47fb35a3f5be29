#define _GNU_SOURCE
#include "cable.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum message {
  HELLO = 1, FORMAT = 2, DATA = 3, FLUSH = 4, END = 5,
  CREDIT = 17, HEARD = 18, FLUSHED = 19, DRAINED = 20, CLOSE = 31,
};

enum {
  HEADER = 12,
  TOKEN = 64,
  LARGEST_SENT = 65536,   /* bytes of a payload that is sent */
  LARGEST_READ = 256,     /* bytes of a payload that is received */
  FLAG = 1,               /* the flag `heard` of CREDIT, `start` of DATA */
};

#define MILLISECONDS INT64_C(1000000)
static const int64_t SECOND = 1000 * MILLISECONDS;
static const int64_t LONGEST_SILENCE = 500 * MILLISECONDS;
static const int64_t LONGEST_FLUSH = 300 * MILLISECONDS;
static const int64_t LONGEST_EXTRAPOLATION = 250 * MILLISECONDS;
static const int64_t RETRY_INTERVAL = 200 * MILLISECONDS;
/* The seconds of sent frames that the ring keeps, so that they can be sent again after a pause. */
static const uint32_t KEPT_SECONDS = 2;

struct cable {
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  char *file;          /* the path of the cable file */
  int socket;          /* -1: not connected */
  int wake_event;      /* eventfd: work for the thread */
  int ready_event;     /* eventfd: the program may write */
  bool is_over;        /* the thread must end */
  bool is_ready;       /* `ready_event` is readable */

  struct cable_format format;
  char *ring;
  uint64_t capacity, buffer, wait_for;  /* frames */

  bool running, paused, draining, drained;
  int64_t drain_deadline;
  uint64_t written;    /* by the program */
  uint64_t next;       /* the next frame to send */
  uint64_t taken;      /* the buffer is free up to here; only `reset` decreases it */
  uint64_t reported;   /* the highest result of `cable_taken` */

  /* The connection. */
  bool owes_flush, owes_format;     /* messages to send before the next frames */
  bool is_plugged, is_heard, has_epoch, has_ended, awaits_flushed;
  bool is_silent;                   /* the amplifier sends nothing, or another input is selected: the position follows
                                     * the clock until a credit with `heard`, a start or the end of a pause */
  bool keeps_unheard;               /* the owed flush is that of a pause: unheard frames are sent again after it */
  bool is_replaced;                 /* another program uses the input, at the socket `replaced_at` */
  uint32_t epoch;
  uint64_t epoch_start, limit, sent;  /* the position of the epoch's frame 0; frames of the epoch */
  uint64_t previous_epoch_start;      /* the position of frame 0 of the previous epoch */
  int64_t flush_deadline, last_activity, retry_at;
  struct stat file_seen, plugged_at, replaced_at;

  /* The playback position: `heard` is heard at the time `heard_at`, which may be in the future. It is extrapolated up
   * to `heard_limit`. At a start it stands until the amplifier's first report, because the amplifier waits for frames
   * before it plays them. */
  uint64_t heard, heard_limit;
  int64_t heard_at;

  unsigned char in[HEADER + LARGEST_READ];
  size_t in_count;
  unsigned char out[HEADER + LARGEST_SENT];
  size_t out_start, out_end;
};

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * SECOND + time.tv_nsec;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t most(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void put(unsigned char *bytes, uint64_t value, int count) {
  for (int i = 0; i < count; i++) bytes[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
  return value;
}

static uint64_t frames_in(const struct cable *c, int64_t time) {
  return time <= 0 ? 0 : (uint64_t)((__int128)time * c->format.rate / SECOND);
}

static int64_t time_of(const struct cable *c, uint64_t frames) {
  return c->format.rate == 0 ? 0 : (int64_t)((__int128)frames * SECOND / c->format.rate);
}

static void signal_event(int descriptor) {
  const uint64_t one = 1;
  if (write(descriptor, &one, sizeof one) < 0) { /* The descriptor is readable already. */ }
}

static void clear_event(int descriptor) {
  uint64_t count;
  if (read(descriptor, &count, sizeof count) < 0) { /* The descriptor was not readable. */ }
}

/* MARK: The playback position */

/* Whether frames cannot be sent until the amplifier reads or grants credit. */
static bool is_waiting(const struct cable *c) {
  return !c->is_plugged || c->out_start < c->out_end
      || (c->next < c->written && c->next >= c->epoch_start + c->limit);
}

/* Whether the position advances by the clock instead of the amplifier's reports. */
static bool is_paced(const struct cable *c, int64_t time) {
  if (!c->running || c->paused || c->awaits_flushed) return false;
  if (c->socket < 0 || c->is_silent) return true;
  if (is_waiting(c) && time - c->last_activity > LONGEST_SILENCE) return true;
  return c->is_plugged && !c->is_heard;
}

/* The oldest frame that is certainly still in the ring, even if the program fills its buffer. */
static uint64_t oldest(const struct cable *c) {
  uint64_t taken = most(c->taken, c->next);
  return taken - least(taken, c->capacity - c->buffer);
}

/* The position that is heard, or that passes unheard, at `time`. It is never before the oldest frame of the ring, even
 * if the amplifier takes many frames and reports none as heard. */
static uint64_t position(const struct cable *c, int64_t time) {
  uint64_t heard = most(c->heard, oldest(c));
  if (!c->running || c->paused || c->awaits_flushed) return heard;
  uint64_t passed = c->heard + frames_in(c, time - c->heard_at);
  uint64_t end = is_paced(c, time) ? c->written : least(c->next, c->heard_limit);
  return most(heard, least(passed, end));
}

static void set_position(struct cable *c, uint64_t frames, int64_t time, uint64_t limit) {
  c->heard = frames;
  c->heard_at = time;
  c->heard_limit = limit;
}

/* Advances the position by the clock while it is paced, and updates whether the program may write. */
static void update(struct cable *c, int64_t time) {
  if (is_paced(c, time)) {
    uint64_t here = position(c, time);
    c->is_silent = c->socket >= 0;
    c->keeps_unheard = false;
    c->next = here;
    /* The program is late: the position waits at the end of its frames. */
    if (here == c->written) set_position(c, here, time, here);
    if (here == c->written) c->drained = c->draining;
  }
  if (c->draining && time >= c->drain_deadline) c->drained = true;
  if (c->draining && c->drained) pthread_cond_broadcast(&c->changed);
  c->taken = most(c->taken, c->next);
  uint64_t free = c->buffer - least(c->buffer, c->written - c->taken);
  bool ready = c->draining ? c->drained : free >= least(c->wait_for, c->buffer);
  if (ready == c->is_ready) return;
  c->is_ready = ready;
  if (ready) {
    signal_event(c->ready_event);
  } else {
    clear_event(c->ready_event);
    /* No message of the amplifier tells when frames become free: wake the thread, which computes the time. */
    if (is_paced(c, time)) signal_event(c->wake_event);
  }
}

/* MARK: Sending */

static void header(struct cable *c, enum message kind, bool flag, size_t length) {
  put(c->out, kind, 1);
  put(c->out + 1, flag ? FLAG : 0, 1);
  put(c->out + 2, 0, 2);
  put(c->out + 4, length, 4);
  put(c->out + 8, kind == HELLO ? 0 : c->epoch, 4);
  c->out_start = 0;
  c->out_end = HEADER + length;
}

static void new_epoch(struct cable *c, int64_t time) {
  c->previous_epoch_start = c->epoch_start;
  c->epoch_start = c->next;
  c->epoch += 1;
  c->limit = c->sent = 0;
  c->has_ended = false;
  c->last_activity = time;
}

static void send_flush(struct cable *c, int64_t time) {
  c->owes_flush = false;
  new_epoch(c, time);
  header(c, FLUSH, false, 0);
  if (!c->keeps_unheard) return;
  c->keeps_unheard = false;
  c->awaits_flushed = true;
  c->flush_deadline = time + LONGEST_FLUSH;
}

static void send_format(struct cable *c, int64_t time) {
  unsigned char *bytes = c->out + HEADER;
  put(bytes, c->format.rate, 4);
  put(bytes + 4, c->format.channels, 1);
  put(bytes + 5, c->format.sample, 1);
  put(bytes + 6, 0, 2);
  put(bytes + 8, c->format.layout, 4);
  c->owes_format = false;
  c->has_epoch = true;
  new_epoch(c, time);
  header(c, FORMAT, false, 12);
}

static void send_frames(struct cable *c, uint64_t end) {
  uint64_t place = c->next % c->capacity;
  uint64_t count = least(end - c->next, c->capacity - place);
  count = least(count, LARGEST_SENT / c->format.frame);
  size_t length = (size_t)(count * c->format.frame);
  memcpy(c->out + HEADER, c->ring + place * c->format.frame, length);
  header(c, DATA, c->next == 0, length);
  c->next += count;
  c->sent += count;
}

/* Writes the next message into `out`. Returns false if there is none. */
static bool compose(struct cable *c, int64_t time) {
  if (!c->is_plugged || c->awaits_flushed) return false;
  if (c->owes_flush || c->owes_format) {
    if (c->owes_flush) send_flush(c, time); else send_format(c, time);
    return true;
  }
  if (!c->has_epoch || !c->is_heard || c->is_silent || !c->running || c->paused) return false;
  uint64_t end = least(c->written, c->epoch_start + c->limit);
  if (c->next < end) {
    send_frames(c, end);
    return true;
  }
  if (c->draining && !c->has_ended && c->next == c->written) {
    c->has_ended = true;
    header(c, END, false, 0);
    return true;
  }
  return false;
}

static void unplug(struct cable *c, int64_t time) {
  if (c->socket < 0) return;
  uint64_t here = position(c, time);
  close(c->socket);
  c->socket = -1;
  c->is_plugged = c->is_heard = c->has_epoch = c->awaits_flushed = false;
  c->owes_flush = c->owes_format = c->is_silent = c->keeps_unheard = false;
  c->in_count = c->out_start = c->out_end = 0;
  c->next = here;
  set_position(c, here, time, c->written);
  c->retry_at = time + RETRY_INTERVAL;
}

static void send_all(struct cable *c, int64_t time) {
  while (c->socket >= 0) {
    if (c->out_start == c->out_end && !compose(c, time)) return;
    ssize_t count = send(
        c->socket, c->out + c->out_start, c->out_end - c->out_start, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count < 0) {
      unplug(c, time);
      return;
    }
    c->out_start += (size_t)count;
  }
}

/* MARK: Receiving */

static void handle_credit(struct cable *c, uint32_t epoch, uint64_t limit, bool heard, int64_t time) {
  bool was_heard = c->is_plugged && c->is_heard;
  bool was_paced = is_paced(c, time);
  uint64_t here = position(c, time);
  c->is_plugged = true;
  c->is_heard = heard;
  c->last_activity = time;
  if (heard) c->is_silent = false;
  /* Limited, so that adding it to a position cannot overflow. */
  if (epoch == c->epoch && c->has_epoch) c->limit = most(c->limit, least(limit, UINT64_MAX / 4));
  if (!c->has_epoch) {
    c->owes_format = c->ring != NULL;
  } else if (heard && (!was_heard || was_paced) && c->running) {
    /* Continue at the present position, and flush the older frames that the amplifier still holds. */
    c->next = here;
    c->owes_flush = true;
  } else if (!heard && was_heard) {
    c->next = here;
  }
  if (heard != was_heard || was_paced) set_position(c, here, time, heard ? here : c->written);
}

static void handle_heard(struct cable *c, uint64_t frames, int64_t at, uint32_t delay, int64_t time) {
  uint64_t given = c->epoch_start + frames;
  if (frames > c->sent || at < 0 || at > now()) {
    unplug(c, time);
    return;
  }
  /* These frames were skipped, because the input is not heard or the amplifier was silent. */
  if (!c->is_heard || c->is_silent) return;
  c->last_activity = time;
  /* Before the first frame of the epoch, the position stands. */
  if (frames == 0) return;
  uint64_t heard = most(oldest(c), given > delay ? given - delay : 0);
  uint64_t limit = most(heard, given) + frames_in(c, LONGEST_EXTRAPOLATION);
  if (heard < c->heard && at <= c->heard_at) return;
  /* If the device still plays earlier sound, the first frame is heard when that is over. */
  set_position(c, heard, at + time_of(c, delay > given ? delay - given : 0), limit);
}

/* Continues at the position `heard`, after a flush for a pause. */
static void resume_after_flush(struct cable *c, uint64_t heard, int64_t time) {
  if (!c->awaits_flushed) return;
  c->awaits_flushed = false;
  c->next = most(oldest(c), least(heard, c->next));
  c->epoch_start = c->next;
  set_position(c, c->next, time, c->next);
}

static bool handle(
    struct cable *c, enum message kind, bool flag, uint32_t epoch, const unsigned char *bytes,
    size_t length, int64_t time) {
  switch (kind) {
    case CREDIT:
      if (length != 8) return false;
      handle_credit(c, epoch, get(bytes, 8), flag, time);
      return true;
    case HEARD:
      if (length != 20) return false;
      /* When a new epoch is due, the frames of this one were skipped. */
      if (epoch == c->epoch && c->has_epoch && !c->awaits_flushed && !c->owes_flush && !c->owes_format)
        handle_heard(c, get(bytes, 8), (int64_t)get(bytes + 8, 8), (uint32_t)get(bytes + 16, 4), time);
      return true;
    case FLUSHED:
      if (length != 12) return false;
      if (epoch != c->epoch) return true;
      uint32_t of = (uint32_t)get(bytes + 8, 4);
      /* If the answer names an older epoch or none, nothing of the previous epoch was heard. */
      bool was_begun = of != 0 && of + 1 == c->epoch;
      resume_after_flush(c, c->previous_epoch_start + (was_begun ? least(get(bytes, 8), UINT64_MAX / 4) : 0), time);
      return true;
    case DRAINED:
      /* Frames that were not sent cannot have been heard, whatever the amplifier says. */
      if (epoch == c->epoch && c->has_ended && c->next == c->written && !c->owes_flush && !c->owes_format) {
        c->drained = c->draining;
        set_position(c, c->written, time, c->written);
      }
      return true;
    case CLOSE:
      /* Either the amplifier ends, and its socket with it, or another program uses the input now. */
      c->is_replaced = c->is_plugged;
      c->replaced_at = c->plugged_at;
      return false;
    default: return false;  /* a message that an amplifier never sends */
  }
}

static void receive(struct cable *c, int64_t time) {
  /* At most 16 reads at a time, so that a flood of messages does not keep the lock from the program. */
  for (int turn = 0; c->socket >= 0 && turn < 16; turn++) {
    ssize_t count =
        recv(c->socket, c->in + c->in_count, sizeof c->in - c->in_count, MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) {
      unplug(c, time);
      return;
    }
    c->in_count += (size_t)count;
    size_t used = 0;
    while (c->in_count - used >= HEADER) {
      const unsigned char *head = c->in + used;
      size_t length = (size_t)get(head + 4, 4);
      if (length > LARGEST_READ || get(head + 2, 2) != 0) {
        unplug(c, time);
        return;
      }
      if (c->in_count - used < HEADER + length) break;
      if (!handle(c, head[0], head[1] & FLAG, (uint32_t)get(head + 8, 4), head + HEADER, length, time)) {
        unplug(c, time);
        return;
      }
      if (c->socket < 0) return;
      used += HEADER + length;
    }
    memmove(c->in, c->in + used, c->in_count - used);
    c->in_count -= used;
  }
}

/* MARK: Connecting */

/* Compares inode and size, too: the file may be replaced twice within the resolution of the modification time. */
static bool is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size
      && memcmp(&a->st_mtim, &b->st_mtim, sizeof a->st_mtim) == 0;
}

/* Reads the cable file: a path and a token; it is empty while there is no amplifier. Returns 0, -ENOTCONN for an
 * empty file, -EAGAIN if the file has not changed since the last attempt, or another negative errno. */
static int read_cable_file(struct cable *c, struct sockaddr_un *address, char token[TOKEN]) {
  int file = open(c->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return -errno;
  struct stat facts;
  char text[sizeof address->sun_path + TOKEN + 3];
  bool is_new = fstat(file, &facts) == 0 && !is_same(&facts, &c->file_seen);
  ssize_t count = is_new ? read(file, text, sizeof text - 1) : 0;
  close(file);
  if (!is_new) return -EAGAIN;
  c->file_seen = facts;
  if (count <= 0) return count == 0 ? -ENOTCONN : -EIO;
  text[count] = 0;
  *address = (struct sockaddr_un){.sun_family = AF_UNIX};
  const char *line = strchr(text, '\n');
  if (line == NULL || (size_t)(line - text) >= sizeof address->sun_path) return -EINVAL;
  if (strspn(line + 1, "0123456789abcdef") != TOKEN) return -EINVAL;
  memcpy(address->sun_path, text, (size_t)(line - text));
  memcpy(token, line + 1, TOKEN);
  return 0;
}

static int plug(struct cable *c, int64_t time) {
  struct sockaddr_un address;
  char token[TOKEN];
  c->retry_at = time + RETRY_INTERVAL;
  int error = read_cable_file(c, &address, token);
  if (error < 0) return error;
  struct stat facts = {0};
  stat(address.sun_path, &facts);
  /* Do not take the input back from the program that replaced this one. */
  if (c->is_replaced && is_same(&facts, &c->replaced_at)) error = -EBUSY;
  int descriptor = -1;
  if (error == 0) {
    descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0 || connect(descriptor, (struct sockaddr *)&address, sizeof address) < 0) error = -errno;
  }
  if (error < 0) {
    if (descriptor >= 0) close(descriptor);
    /* The token is still valid: read the file again at the next attempt. */
    c->file_seen = (struct stat){0};
    return error;
  }
  uint64_t here = position(c, time);
  c->socket = descriptor;
  c->plugged_at = facts;
  c->is_replaced = false;
  c->next = here;
  set_position(c, here, time, here);
  c->last_activity = time;
  c->epoch = 0;
  put(c->out + HEADER, 1, 4);
  memcpy(c->out + HEADER + 4, token, TOKEN);
  header(c, HELLO, false, 4 + TOKEN);
  send_all(c, time);
  return 0;
}

/* MARK: The thread */

/* The timeout of the thread's `poll` in milliseconds; -1: none. */
static int sleep_time(struct cable *c, int64_t time) {
  int64_t until = INT64_MAX;
  if (c->socket < 0 && c->running) until = c->retry_at;
  if (c->awaits_flushed && c->flush_deadline < until) until = c->flush_deadline;
  if (c->draining && !c->drained && c->drain_deadline < until) until = c->drain_deadline;
  if (c->running && !c->paused) {
    bool waits = c->socket >= 0 && (c->next < c->written || is_waiting(c));
    int64_t silent = c->last_activity + LONGEST_SILENCE + MILLISECONDS;
    if (waits && silent > time && silent < until) until = silent;
    if (is_paced(c, time)) {
      /* Wake at the position at which the program may write, or at the end of a drain. */
      uint64_t goal = c->written + least(c->wait_for, c->buffer);
      goal = c->draining ? c->written : goal - least(goal, c->buffer);
      uint64_t pending = goal - least(goal, position(c, time));
      int64_t step = time + time_of(c, most(pending, 1)) + MILLISECONDS;
      if (step < until && !c->is_ready) until = step;
    }
  }
  if (until == INT64_MAX) return -1;
  int64_t left = (until - time + MILLISECONDS - 1) / MILLISECONDS;
  return left <= 0 ? 0 : (int)(left < 1000 ? left : 1000);
}

static void work(struct cable *c) {
  int64_t time = now();
  if (c->socket >= 0) receive(c, time);
  if (c->awaits_flushed && time >= c->flush_deadline) resume_after_flush(c, c->heard, time);
  if (c->socket < 0 && c->running && time >= c->retry_at) plug(c, time);
  if (c->socket >= 0) send_all(c, time);
  update(c, time);
}

static void *run(void *argument) {
  struct cable *c = argument;
  pthread_mutex_lock(&c->lock);
  while (!c->is_over) {
    work(c);
    bool sends = c->out_start < c->out_end;
    struct pollfd polled[2] = {
        {.fd = c->wake_event, .events = POLLIN},
        {.fd = c->socket, .events = (short)(sends ? POLLIN | POLLOUT : POLLIN)},
    };
    int sleep = sleep_time(c, now());
    pthread_mutex_unlock(&c->lock);
    poll(polled, 2, sleep);
    if (polled[0].revents) clear_event(c->wake_event);
    pthread_mutex_lock(&c->lock);
  }
  pthread_mutex_unlock(&c->lock);
  return NULL;
}

static int start_thread(struct cable *c) {
  sigset_t all, old;
  sigfillset(&all);
  /* Block all signals: the program's own threads must handle them. */
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int error = pthread_create(&c->thread, NULL, run, c);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (error == 0) pthread_setname_np(c->thread, "theater cable");
  return -error;
}

/* MARK: Functions for the program */

static void release(struct cable *c) {
  if (c->socket >= 0) close(c->socket);
  if (c->wake_event >= 0) close(c->wake_event);
  if (c->ready_event >= 0) close(c->ready_event);
  pthread_cond_destroy(&c->changed);
  pthread_mutex_destroy(&c->lock);
  free(c->ring);
  free(c->file);
  free(c);
}

int cable_open(struct cable **cable, const char *file, bool waits) {
  struct cable *c = calloc(1, sizeof *c);
  if (c == NULL) return -ENOMEM;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->changed, NULL);
  c->socket = -1;
  c->wait_for = 1;
  c->wake_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  c->ready_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  c->file = strdup(file);
  int error = c->file == NULL ? -ENOMEM : c->wake_event < 0 || c->ready_event < 0 ? -EMFILE : plug(c, now());
  bool is_away = error == -ENOTCONN || error == -ECONNREFUSED || error == -ENOENT || error == -EAGAIN;
  if (waits && is_away) error = 0;
  if (error == 0) error = start_thread(c);
  if (error < 0) release(c); else *cable = c;
  return error;
}

void cable_close(struct cable *c) {
  pthread_mutex_lock(&c->lock);
  c->is_over = true;
  pthread_mutex_unlock(&c->lock);
  signal_event(c->wake_event);
  pthread_join(c->thread, NULL);
  release(c);
}

int cable_descriptor(const struct cable *c) { return c->ready_event; }

/* Unlocks after a change by the program, and wakes the thread. */
static void changed(struct cable *c) {
  update(c, now());
  pthread_mutex_unlock(&c->lock);
  signal_event(c->wake_event);
}

/* The caller holds the lock. */
static void reset(struct cable *c) {
  c->running = c->paused = c->draining = c->drained = false;
  c->awaits_flushed = c->keeps_unheard = c->is_silent = false;
  c->written = c->next = c->taken = c->reported = 0;
  set_position(c, 0, now(), 0);
  pthread_cond_broadcast(&c->changed);
}

/* The caller holds the lock. */
static void prepare(struct cable *c) {
  /* Flush only unsent frames. After an underrun all frames were sent, and are heard to their end. */
  c->owes_flush |= c->running && c->has_epoch && c->next < c->written;
  reset(c);
  c->owes_format = c->is_plugged;
  /* A program that starts again takes the input back. */
  c->is_replaced = false;
}

int cable_configure(struct cable *c, const struct cable_format *format, uint64_t buffer) {
  uint64_t capacity = buffer + (uint64_t)KEPT_SECONDS * format->rate;
  char *ring = calloc(capacity, format->frame);
  if (ring == NULL) return -ENOMEM;
  pthread_mutex_lock(&c->lock);
  free(c->ring);
  c->ring = ring;
  c->capacity = capacity;
  c->buffer = buffer;
  c->format = *format;
  prepare(c);
  changed(c);
  return 0;
}

void cable_wait_for(struct cable *c, uint64_t frames) {
  pthread_mutex_lock(&c->lock);
  c->wait_for = most(1, frames);
  changed(c);
}

void cable_prepare(struct cable *c) {
  pthread_mutex_lock(&c->lock);
  prepare(c);
  changed(c);
}

static void start(struct cable *c) {
  c->running = true;
  c->is_silent = false;
  c->last_activity = now();
  set_position(c, c->heard, c->last_activity, c->next);
}

void cable_start(struct cable *c) {
  pthread_mutex_lock(&c->lock);
  start(c);
  changed(c);
}

void cable_stop(struct cable *c) {
  pthread_mutex_lock(&c->lock);
  reset(c);
  c->owes_flush = c->has_epoch;
  changed(c);
}

void cable_pause(struct cable *c, bool paused) {
  pthread_mutex_lock(&c->lock);
  int64_t time = now();
  if (paused && !c->paused) {
    set_position(c, position(c, time), time, c->next);
    /* The unanswered flush of an earlier pause is enough. */
    if (!c->keeps_unheard && !c->awaits_flushed) {
      bool plays = c->has_epoch && c->is_heard;
      c->keeps_unheard = plays && !c->is_silent && !c->owes_flush && !c->owes_format;
      if (plays) c->owes_flush = true;
      if (!c->keeps_unheard) c->next = c->heard;
    }
  } else if (!paused) {
    set_position(c, c->heard, time, c->next);
    c->is_silent = false;
    c->last_activity = time;
  }
  c->paused = paused;
  changed(c);
}

int cable_drain(struct cable *c, bool waits) {
  pthread_mutex_lock(&c->lock);
  if (!c->draining) {
    /* A sound shorter than the program's start threshold has not been started yet. */
    if (!c->running) start(c);
    int64_t time = now();
    c->drain_deadline = time + SECOND + time_of(c, c->written - least(c->written, position(c, time)));
    c->draining = true;
    c->drained = c->written == 0;
    update(c, time);
    signal_event(c->wake_event);
  }
  while (waits && c->draining && !c->drained) pthread_cond_wait(&c->changed, &c->lock);
  bool is_over = !c->draining || c->drained;
  pthread_mutex_unlock(&c->lock);
  return is_over ? 0 : -EAGAIN;
}

void *cable_write_region(struct cable *c, uint64_t *count) {
  pthread_mutex_lock(&c->lock);
  uint64_t place = c->written % c->capacity;
  *count = least(*count, c->capacity - place);
  void *room = c->ring + place * c->format.frame;
  pthread_mutex_unlock(&c->lock);
  return room;
}

void cable_commit(struct cable *c, uint64_t count) {
  pthread_mutex_lock(&c->lock);
  bool had_all = c->next == c->written;
  c->written += count;
  update(c, now());
  bool matters = c->running && had_all;
  pthread_mutex_unlock(&c->lock);
  if (matters) signal_event(c->wake_event);
}

uint64_t cable_rewind(struct cable *c, uint64_t count) {
  pthread_mutex_lock(&c->lock);
  update(c, now());
  uint64_t back = least(count, c->written - least(c->written, c->taken));
  c->written -= back;
  update(c, now());
  pthread_mutex_unlock(&c->lock);
  return count - back;
}

uint64_t cable_taken(struct cable *c) {
  pthread_mutex_lock(&c->lock);
  update(c, now());
  /* When the buffer is empty, libasound ends a drain, and otherwise reports an underrun and stops the stream. So the
   * last frame counts as taken only when it was heard. */
  bool is_unheard = c->draining ? !c->drained : position(c, now()) < c->written;
  c->reported = most(c->reported, is_unheard ? least(c->taken, c->written - 1) : c->taken);
  uint64_t taken = c->reported;
  pthread_mutex_unlock(&c->lock);
  return taken;
}

uint64_t cable_delay(struct cable *c) {
  pthread_mutex_lock(&c->lock);
  uint64_t here = position(c, now());
  uint64_t delay = c->written - least(c->written, here);
  pthread_mutex_unlock(&c->lock);
  return delay;
}

bool cable_is_ready(struct cable *c) {
  pthread_mutex_lock(&c->lock);
  update(c, now());
  bool ready = c->is_ready;
  pthread_mutex_unlock(&c->lock);
  return ready;
}
