/* Fuzzes the cable of the ALSA PCM: the input is the behaviour of the amplifier and of the program
 * that plays. Scripts/fuzz links it with libFuzzer, the tests with `main` below, which replays the
 * given files. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* In ns; only the input advances it. */
static int64_t fuzzed_time;

static int read_fuzzed_clock(struct timespec *time) {
  time->tv_sec = fuzzed_time / 1000000000;
  time->tv_nsec = fuzzed_time % 1000000000;
  return 0;
}

#define clock_gettime(clock, time) read_fuzzed_clock(time)
#include "../../Sources/TheaterPCM/cable.c"
#undef clock_gettime

static void require(bool condition, const char *what) {
  if (condition) return;
  fprintf(stderr, "broken: %s\n", what);
  abort();
}

struct input {
  const uint8_t *bytes;
  size_t count;
};

static unsigned take(struct input *in) {
  if (in->count == 0) return 0;
  in->count -= 1;
  return *in->bytes++;
}

/* A number of up to eight bytes, so that small and very large ones are likely. */
static uint64_t take_number(struct input *in) {
  uint64_t value = 0;
  for (unsigned left = take(in) % 9; left > 0; left--) value = value << 8 | take(in);
  return value;
}

static void check(struct cable *c) {
  require(c->next <= c->written, "a frame is sent that was not written");
  require(c->written - most(c->taken, c->next) <= c->buffer, "more frames wait than the buffer has");
  require(oldest(c) <= c->next, "the next frame is no longer in the ring");
  require(position(c, now()) <= c->written, "a frame is heard that was not written");
  require(c->in_count <= sizeof c->in && c->out_start <= c->out_end && c->out_end <= sizeof c->out, "bounds");
  require(cable_taken(c) <= c->written && cable_delay(c) <= c->written, "more than was written");
}

/* Connects the cable as `plug` does. Returns the amplifier's end. */
static int connect_amplifier(struct cable *c) {
  int ends[2];
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0, "no sockets");
  c->socket = ends[0];
  c->next = position(c, now());
  set_position(c, c->next, now(), c->next);
  c->last_activity = now();
  c->epoch = 0;
  return ends[1];
}

static void send_message(int amplifier, const struct cable *c, struct input *in) {
  static const uint8_t kinds[] = {CREDIT, HEARD, FLUSHED, DRAINED, CREDIT, HEARD, CLOSE, HELLO};
  static const uint8_t lengths[] = {8, 20, 12, 0, 8, 20, 5, 0};
  unsigned choice = take(in);
  unsigned char bytes[HEADER + 20] = {0};
  put(bytes, kinds[choice % 8], 1);
  put(bytes + 1, choice >> 3 & 1, 1);
  put(bytes + 4, lengths[choice % 8], 4);
  /* Mostly the present epoch, sometimes the one before or any other. */
  uint32_t epoch = choice & 16 ? c->epoch - (choice >> 5 & 1) : c->epoch;
  put(bytes + 8, choice & 128 ? take_number(in) : epoch, 4);
  put(bytes + 12, take_number(in), 8);
  uint64_t second = choice & 64 ? take_number(in) : (uint64_t)fuzzed_time;
  put(bytes + 20, choice % 8 == 2 ? c->epoch - 1 : second, 8);
  put(bytes + 28, take_number(in), 4);
  if (send(amplifier, bytes, HEADER + lengths[choice % 8], MSG_NOSIGNAL) < 0) { /* It is full. */ }
}

static void write_frames(struct cable *c, uint64_t count) {
  uint64_t free = c->buffer - least(c->buffer, c->written - cable_taken(c));
  count = least(count, free);
  void *room = cable_write_region(c, &count);
  memset(room, 0x55, count * c->format.frame);
  cable_commit(c, count);
}

static void step(struct cable *c, int *amplifier, struct input *in) {
  static const int64_t times[] = {0, 1, 20, 100, 260, 510, 2000, 60000};
  char sent[4096];
  switch (take(in) % 16) {
    case 0: case 1: case 2: send_message(*amplifier, c, in); break;
    case 3: {
      unsigned wanted = take(in) % 64;
      size_t count = least(wanted, in->count);
      if (send(*amplifier, in->bytes, count, MSG_NOSIGNAL) < 0) { /* It is full. */ }
      in->bytes += count;
      in->count -= count;
      break;
    }
    case 4: while (recv(*amplifier, sent, sizeof sent, 0) > 0) { /* The amplifier plays it. */ } break;
    case 5: fuzzed_time += times[take(in) % 8] * MILLISECONDS; break;
    case 6: write_frames(c, take_number(in)); break;
    case 7: cable_start(c); break;
    case 8: cable_pause(c, take(in) & 1); break;
    case 9: cable_stop(c); break;
    case 10: cable_prepare(c); break;
    case 11: cable_drain(c, false); break;
    case 12: cable_rewind(c, take_number(in)); break;
    case 13: cable_wait_for(c, take_number(in)); break;
    case 14: cable_is_ready(c); break;
    default:
      if (c->socket >= 0) break;
      close(*amplifier);
      *amplifier = connect_amplifier(c);
  }
  work(c);
  check(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count) {
  static const struct cable_format formats[] = {
      {48000, 2, CABLE_S16, 3, 4}, {4000, 1, CABLE_FLOAT, 4, 4}, {192000, 8, CABLE_S32, 0x63F, 32}};
  struct input in = {bytes, count};
  struct cable *c = calloc(1, sizeof *c);
  require(c != NULL, "no memory");
  fuzzed_time = 1000 * SECOND;
  pthread_mutex_init(&c->lock, NULL);
  pthread_cond_init(&c->changed, NULL);
  c->file = strdup("/dev/null/no-cable");
  c->wait_for = 1;
  c->wake_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  c->ready_event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  const struct cable_format *format = &formats[take(&in) % 3];
  require(cable_configure(c, format, 16 + take(&in) * 16) == 0, "no memory");
  int amplifier = connect_amplifier(c);
  while (in.count > 0) step(c, &amplifier, &in);
  close(amplifier);
  release(c);
  return 0;
}

#ifdef REPLAY
int main(int count, char **files) {
  for (int i = 1; i < count; i++) {
    static uint8_t bytes[1 << 16];
    FILE *file = fopen(files[i], "rb");
    require(file != NULL, files[i]);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    fprintf(stderr, "%s\n", files[i]);
    LLVMFuzzerTestOneInput(bytes, size);
  }
  return 0;
}
#endif
