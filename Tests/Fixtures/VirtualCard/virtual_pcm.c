// A sound card in memory: plays at the pace of the monotonic clock, writes what would have been
// heard to a file, runs dry when it is not fed, and fails on demand. See README.md.

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

typedef struct {
  snd_pcm_ioplug_t io;
  char *control;
  int capture, log;
  bool maps;
  unsigned char *memory;
  size_t frame_bytes;
  bool running, sounding;
  int64_t start;            // When the first frame since the last start was heard.
  uint64_t heard;           // Frames heard since the last start.
  uint64_t position;        // The buffer's position at the last start.
  uint64_t quiet;           // Frames of silence in a row.
  uint64_t enough;          // Frames of room for which a writer wants to be woken.
} card_t;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void note(card_t *card, int64_t time, const char *event) {
  if (card->log < 0) return;
  char line[100];
  int count = snprintf(line, sizeof line, "%lld %s\n", (long long)time, event);
  if (write(card->log, line, count) < 0) return;
}

static int64_t time_of(card_t *card, uint64_t frame) {
  return card->start + (int64_t)(frame * 1000000000ULL / card->io.rate);
}

// The order in the control file: none, or one word. "xrun" happens once.
static void asked(const char *path, char *word, size_t size) {
  word[0] = 0;
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file) return;
  if (fgets(word, size, file)) word[strcspn(word, " \n")] = 0;
  fclose(file);
}

static void forget(const char *path) {
  FILE *file = fopen(path, "w");
  if (file) fclose(file);
}

// Notes when sound begins and ends; a tone's own zero crossings are no silence, 5 ms are.
static void listen(card_t *card, const unsigned char *frame, uint64_t index) {
  bool silent = true;
  for (size_t i = 0; i < card->frame_bytes && silent; i++) silent = frame[i] == 0;
  if (silent) {
    card->quiet++;
    if (card->sounding && card->quiet == card->io.rate / 200) {
      card->sounding = false;
      note(card, time_of(card, index + 1 - card->quiet), "silence");
    }
  } else {
    if (!card->sounding) note(card, time_of(card, index), "sound");
    card->sounding = true;
    card->quiet = 0;
  }
}

// Frames whose time has come since the last look.
static uint64_t due_frames(card_t *card) {
  if (!card->running) return 0;
  uint64_t elapsed = (uint64_t)(now() - card->start) * card->io.rate / 1000000000ULL;
  return elapsed > card->heard ? elapsed - card->heard : 0;
}

// Plays up to the present moment. Returns false when it ran dry on the way.
static bool play(card_t *card) {
  if (!card->running) return true;
  uint64_t queued = snd_pcm_ioplug_hw_avail(&card->io, card->io.hw_ptr, card->io.appl_ptr);
  uint64_t due = due_frames(card);
  bool dry = due > queued;
  uint64_t count = dry ? queued : due;
  while (count > 0) {
    // In one piece up to the buffer's end: a call for each frame would take milliseconds.
    uint64_t at = (card->position + card->heard) % card->io.buffer_size;
    uint64_t piece = count < card->io.buffer_size - at ? count : card->io.buffer_size - at;
    unsigned char *frames = card->memory + at * card->frame_bytes;
    for (uint64_t i = 0; card->log >= 0 && i < piece; i++)
      listen(card, frames + i * card->frame_bytes, card->heard + i);
    if (card->capture >= 0 && write(card->capture, frames, piece * card->frame_bytes) < 0) break;
    card->heard += piece;
    count -= piece;
  }
  return !dry;
}

static void halt(card_t *card, const char *event) {
  if (!card->running) return;
  card->running = false;
  int64_t end = time_of(card, card->heard);
  if (card->sounding) note(card, end, "silence");
  card->sounding = false;
  note(card, end, event);
  struct itimerspec never = {0};
  timerfd_settime(card->io.poll_fd, 0, &never, NULL);
}

// Wakes the writer when there is as much room as it asked for, as the kernel does: `queued` frames
// lie in the buffer and are being played if the card runs.
static void wake_later(card_t *card, uint64_t queued) {
  uint64_t room = card->io.buffer_size - queued;
  int64_t time = 1;
  if (card->running && room < card->enough)
    time += (int64_t)((card->enough - room) * 1000000000ULL / card->io.rate);
  else if (room < card->enough)
    time = 0;
  struct itimerspec once = {{0, 0}, {time / 1000000000, time % 1000000000}};
  timerfd_settime(card->io.poll_fd, 0, &once, NULL);
}

// Frames written and not yet heard.
static uint64_t queued_frames(card_t *card) {
  uint64_t queued = snd_pcm_ioplug_hw_avail(&card->io, card->io.hw_ptr, card->io.appl_ptr);
  uint64_t due = due_frames(card);
  return queued > due ? queued - due : 0;
}

static int card_start(snd_pcm_ioplug_t *io) {
  card_t *card = io->private_data;
  card->start = now();
  card->position = io->hw_ptr % io->buffer_size;
  card->heard = 0;
  card->quiet = 0;
  card->running = true;
  note(card, card->start, "start");
  wake_later(card, queued_frames(card));
  return 0;
}

static int card_stop(snd_pcm_ioplug_t *io) {
  card_t *card = io->private_data;
  play(card);
  halt(card, "stop");
  return 0;
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io) {
  card_t *card = io->private_data;
  char word[20];
  asked(card->control, word, sizeof word);
  bool fed = play(card);
  snd_pcm_sframes_t at = (card->position + card->heard) % io->buffer_size;
  if (!strcmp(word, "gone")) {
    halt(card, "gone");
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_DISCONNECTED);
    return at;
  }
  if (!strcmp(word, "suspend")) {
    halt(card, "suspend");
    snd_pcm_ioplug_set_state(io, SND_PCM_STATE_SUSPENDED);
    return at;
  }
  if (!strcmp(word, "xrun") && card->running) {
    forget(card->control);
    fed = false;
  }
  if (!fed) {
    halt(card, "underrun");
    return -EPIPE;
  }
  return at;
}

static snd_pcm_sframes_t card_transfer(
    snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas, snd_pcm_uframes_t offset,
    snd_pcm_uframes_t size) {
  card_t *card = io->private_data;
  const unsigned char *from =
      (const unsigned char *)areas->addr + areas->first / 8 + offset * card->frame_bytes;
  for (snd_pcm_uframes_t i = 0; i < size; i++) {
    uint64_t at = (io->appl_ptr + i) % io->buffer_size;
    memcpy(card->memory + at * card->frame_bytes, from + i * card->frame_bytes, card->frame_bytes);
  }
  wake_later(card, queued_frames(card) + size);
  return size;
}

static int card_hw_params(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *params) {
  (void)params;
  card_t *card = io->private_data;
  card->frame_bytes = snd_pcm_format_physical_width(io->format) / 8 * io->channels;
  free(card->memory);
  card->memory = calloc(io->buffer_size, card->frame_bytes);
  char line[80];
  snprintf(line, sizeof line, "format %u %s %u", io->rate, snd_pcm_format_name(io->format),
      io->channels);
  note(card, now(), line);
  return card->memory ? 0 : -ENOMEM;
}

static int card_prepare(snd_pcm_ioplug_t *io) {
  card_t *card = io->private_data;
  char word[20];
  asked(card->control, word, sizeof word);
  if (!strcmp(word, "gone")) return -ENODEV;
  halt(card, "stop");
  card->position = 0;
  card->heard = 0;
  wake_later(card, 0);
  return 0;
}

static int card_sw_params(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *params) {
  card_t *card = io->private_data;
  snd_pcm_uframes_t enough = 1;
  snd_pcm_sw_params_get_avail_min(params, &enough);
  card->enough = enough;
  return 0;
}

// No caller sees the return value: only the state tells whether it is awake.
static int card_resume(snd_pcm_ioplug_t *io) {
  card_t *card = io->private_data;
  char word[20];
  asked(card->control, word, sizeof word);
  if (strcmp(word, "suspend")) snd_pcm_ioplug_set_state(io, SND_PCM_STATE_PREPARED);
  return 0;
}

static int card_revents(
    snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned int count,
    unsigned short *revents) {
  (void)count;
  card_t *card = io->private_data;
  *revents = 0;
  if (!(descriptors->revents & POLLIN)) return 0;
  uint64_t queued = queued_frames(card);
  // Ready for as long as there is room; too early by a rounding: later.
  if (io->buffer_size - queued >= card->enough) *revents = POLLOUT;
  else wake_later(card, queued);
  return 0;
}

static snd_pcm_chmap_t *card_get_map(snd_pcm_ioplug_t *io) {
  // The order of files: what a card with a map of its own may well have.
  static const unsigned int places[8] = {SND_CHMAP_FL, SND_CHMAP_FR, SND_CHMAP_FC, SND_CHMAP_LFE,
      SND_CHMAP_RL, SND_CHMAP_RR, SND_CHMAP_SL, SND_CHMAP_SR};
  card_t *card = io->private_data;
  if (!card->maps) return NULL;
  snd_pcm_chmap_t *map = malloc(sizeof *map + sizeof places);
  if (!map) return NULL;
  map->channels = io->channels;
  memcpy(map->pos, places, sizeof(unsigned int) * io->channels);
  return map;
}

static int card_close(snd_pcm_ioplug_t *io) {
  card_t *card = io->private_data;
  halt(card, "stop");
  note(card, now(), "close");
  if (card->capture >= 0) {
    // A process that was forked a moment ago has the open file, too, until its exec.
    flock(card->capture, LOCK_UN);
    close(card->capture);
  }
  if (card->log >= 0) close(card->log);
  close(io->poll_fd);
  free(card->memory);
  free(card->control);
  free(card);
  return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = card_start,
    .stop = card_stop,
    .pointer = card_pointer,
    .transfer = card_transfer,
    .close = card_close,
    .hw_params = card_hw_params,
    .sw_params = card_sw_params,
    .prepare = card_prepare,
    .resume = card_resume,
    .poll_revents = card_revents,
    .get_chmap = card_get_map,
};

typedef struct {
  const char *file, *control, *log, *format;
  long rate, channels, maps, exclusive;
} settings_t;

static int constrain(card_t *card, const settings_t *settings) {
  static const unsigned int access[] = {SND_PCM_ACCESS_RW_INTERLEAVED};
  unsigned int formats[] = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S24_LE,
      SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_FLOAT_LE};
  unsigned int count = 5;
  if (settings->format && settings->format[0]) {
    formats[0] = snd_pcm_format_value(settings->format);
    count = 1;
  }
  snd_pcm_ioplug_t *io = &card->io;
  unsigned int rate = settings->rate, channels = settings->channels;
  int error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, access);
  if (!error)
    error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, count, formats);
  if (!error)
    error = snd_pcm_ioplug_set_param_minmax(
        io, SND_PCM_IOPLUG_HW_RATE, rate ? rate : 8000, rate ? rate : 192000);
  if (!error)
    error = snd_pcm_ioplug_set_param_minmax(
        io, SND_PCM_IOPLUG_HW_CHANNELS, channels ? channels : 1, channels ? channels : 8);
  if (!error)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, 1 << 20);
  if (!error)
    error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 128, 1 << 22);
  return error;
}

static int read_settings(snd_config_t *conf, settings_t *settings) {
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, conf) {
    snd_config_t *node = snd_config_iterator_entry(i);
    const char *id;
    if (snd_config_get_id(node, &id) < 0) continue;
    if (!strcmp(id, "file")) snd_config_get_string(node, &settings->file);
    else if (!strcmp(id, "control")) snd_config_get_string(node, &settings->control);
    else if (!strcmp(id, "log")) snd_config_get_string(node, &settings->log);
    else if (!strcmp(id, "format")) snd_config_get_string(node, &settings->format);
    else if (!strcmp(id, "rate")) snd_config_get_integer(node, &settings->rate);
    else if (!strcmp(id, "channels")) snd_config_get_integer(node, &settings->channels);
    else if (!strcmp(id, "exclusive")) snd_config_get_integer(node, &settings->exclusive);
    else if (!strcmp(id, "maps")) snd_config_get_integer(node, &settings->maps);
    else if (strcmp(id, "type") && strcmp(id, "comment") && strcmp(id, "hint")) return -EINVAL;
  }
  return 0;
}

static int append_to(const char *path) {
  return path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
}

SND_PCM_PLUGIN_DEFINE_FUNC(virtualcard) {
  (void)root;
  settings_t settings = {0};
  int error = read_settings(conf, &settings);
  if (error < 0) return error;
  char word[20];
  asked(settings.control, word, sizeof word);
  if (!strcmp(word, "held")) {
    FILE *file = fopen(settings.control, "w");
    if (file) fputs("waits", file), fclose(file);
  }
  // At most a minute, so that no test waits for ever.
  for (int waits = 0; (!strcmp(word, "held") || !strcmp(word, "waits")) && waits < 6000; waits++) {
    usleep(10000);
    asked(settings.control, word, sizeof word);
  }
  if (!strcmp(word, "busy")) return -EBUSY;
  if (!strcmp(word, "gone")) return -ENODEV;
  if (!strcmp(word, "refused")) return -ECONNREFUSED;

  card_t *card = calloc(1, sizeof *card);
  if (!card) return -ENOMEM;
  card->control = settings.control ? strdup(settings.control) : NULL;
  card->capture = append_to(settings.file);
  card->log = append_to(settings.log);
  // The lock belongs to the open file: it ends with `card_close`, or with the process.
  if (settings.exclusive && flock(card->capture, LOCK_EX | LOCK_NB) < 0) {
    close(card->capture);
    if (card->log >= 0) close(card->log);
    free(card->control);
    free(card);
    return -EBUSY;
  }
  card->maps = settings.maps;
  card->io.version = SND_PCM_IOPLUG_VERSION;
  card->io.name = "virtual card";
  card->io.callback = &callbacks;
  card->io.private_data = card;
  card->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  card->io.poll_events = POLLIN;
  error = snd_pcm_ioplug_create(&card->io, name, stream, mode);
  if (error < 0) {
    close(card->io.poll_fd);
    free(card->control);
    free(card);
    return error;
  }
  error = constrain(card, &settings);
  if (error < 0) {
    snd_pcm_ioplug_delete(&card->io);
    return error;
  }
  *pcmp = card->io.pcm;
  return 0;
}

SND_PCM_PLUGIN_SYMBOL(virtualcard);
