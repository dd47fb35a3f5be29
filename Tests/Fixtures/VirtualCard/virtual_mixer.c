// The mixer of the virtual card: one "Master" with volume and switch, kept in a file that others
// may write, too. See README.md.

#include <alsa/asoundlib.h>
#include <alsa/control_external.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { VOLUME, SWITCH, ELEMENTS };
static const char *const names[ELEMENTS] = {"Master Playback Volume", "Master Playback Switch"};
enum { HIGHEST = 100 };

typedef struct {
  snd_ctl_ext_t ext;
  char *file;
  bool decibels;
  bool changed[ELEMENTS];
} mixer_t;

// The file's two numbers: volume 0–100 and switch 0–1.
static void load(mixer_t *mixer, long values[ELEMENTS]) {
  values[VOLUME] = HIGHEST;
  values[SWITCH] = 1;
  FILE *file = fopen(mixer->file, "r");
  if (!file) return;
  if (fscanf(file, "%ld %ld", &values[VOLUME], &values[SWITCH]) < 2) values[SWITCH] = 1;
  fclose(file);
}

static void save(mixer_t *mixer, const long values[ELEMENTS]) {
  FILE *file = fopen(mixer->file, "w");
  if (!file) return;
  fprintf(file, "%ld %ld\n", values[VOLUME], values[SWITCH]);
  fclose(file);
}

static int elem_count(snd_ctl_ext_t *ext) {
  (void)ext;
  return ELEMENTS;
}

static int elem_list(snd_ctl_ext_t *ext, unsigned int offset, snd_ctl_elem_id_t *id) {
  (void)ext;
  if (offset >= ELEMENTS) return -EINVAL;
  snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_MIXER);
  snd_ctl_elem_id_set_name(id, names[offset]);
  return 0;
}

static snd_ctl_ext_key_t find_elem(snd_ctl_ext_t *ext, const snd_ctl_elem_id_t *id) {
  (void)ext;
  unsigned int number = snd_ctl_elem_id_get_numid(id);
  if (number > 0 && number <= ELEMENTS) return number - 1;
  for (int i = 0; i < ELEMENTS; i++)
    if (!strcmp(snd_ctl_elem_id_get_name(id), names[i])) return i;
  return SND_CTL_EXT_KEY_NOT_FOUND;
}

static int get_attribute(
    snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, int *type, unsigned int *acc, unsigned int *count) {
  mixer_t *mixer = ext->private_data;
  *type = key == SWITCH ? SND_CTL_ELEM_TYPE_BOOLEAN : SND_CTL_ELEM_TYPE_INTEGER;
  *acc = SND_CTL_EXT_ACCESS_READWRITE;
  if (key == VOLUME && mixer->decibels) *acc |= SND_CTL_EXT_ACCESS_TLV_READ;
  *count = 1;
  return 0;
}

static int get_integer_info(
    snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *lowest, long *highest, long *step) {
  (void)ext;
  *lowest = 0;
  *highest = key == SWITCH ? 1 : HIGHEST;
  *step = 1;
  return 0;
}

static int read_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
  long values[ELEMENTS];
  load(ext->private_data, values);
  *value = values[key];
  return 0;
}

static int write_integer(snd_ctl_ext_t *ext, snd_ctl_ext_key_t key, long *value) {
  long values[ELEMENTS];
  load(ext->private_data, values);
  if (values[key] == *value) return 0;
  values[key] = *value;
  save(ext->private_data, values);
  return 1;
}

static void subscribe_events(snd_ctl_ext_t *ext, int subscribe) {
  (void)ext, (void)subscribe;
}

static int read_event(snd_ctl_ext_t *ext, snd_ctl_elem_id_t *id, unsigned int *mask) {
  mixer_t *mixer = ext->private_data;
  char buffer[4096] __attribute__((aligned(8)));
  while (read(ext->poll_fd, buffer, sizeof buffer) > 0)
    for (int i = 0; i < ELEMENTS; i++) mixer->changed[i] = true;
  for (int i = 0; i < ELEMENTS; i++) {
    if (!mixer->changed[i]) continue;
    mixer->changed[i] = false;
    snd_ctl_elem_id_set_interface(id, SND_CTL_ELEM_IFACE_MIXER);
    snd_ctl_elem_id_set_name(id, names[i]);
    *mask = SND_CTL_EVENT_MASK_VALUE;
    return 1;
  }
  return -EAGAIN;
}

static void close_mixer(snd_ctl_ext_t *ext) {
  mixer_t *mixer = ext->private_data;
  close(ext->poll_fd);
  free(mixer->file);
  free(mixer);
}

static const snd_ctl_ext_callback_t callbacks = {
    .close = close_mixer,
    .elem_count = elem_count,
    .elem_list = elem_list,
    .find_elem = find_elem,
    .get_attribute = get_attribute,
    .get_integer_info = get_integer_info,
    .read_integer = read_integer,
    .write_integer = write_integer,
    .subscribe_events = subscribe_events,
    .read_event = read_event,
};

// −50 dB to 0 dB in steps of half a dB.
static const unsigned int scale[] = {
    SND_CTL_TLVT_DB_SCALE, 2 * sizeof(unsigned int), (unsigned int)-5000, 50};

SND_CTL_PLUGIN_DEFINE_FUNC(virtualcard) {
  (void)root;
  const char *path = NULL;
  long decibels = 1;
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, conf) {
    snd_config_t *node = snd_config_iterator_entry(i);
    const char *id;
    if (snd_config_get_id(node, &id) < 0) continue;
    if (!strcmp(id, "file")) snd_config_get_string(node, &path);
    else if (!strcmp(id, "decibels")) snd_config_get_integer(node, &decibels);
    else if (strcmp(id, "type") && strcmp(id, "comment") && strcmp(id, "hint")) return -EINVAL;
  }
  if (!path) return -EINVAL;
  mixer_t *mixer = calloc(1, sizeof *mixer);
  if (!mixer) return -ENOMEM;
  mixer->file = strdup(path);
  mixer->decibels = decibels;
  if (access(path, F_OK) < 0) save(mixer, (const long[]){HIGHEST, 1});
  mixer->ext.version = SND_CTL_EXT_VERSION;
  mixer->ext.card_idx = 0;
  strcpy(mixer->ext.id, "virtual");
  strcpy(mixer->ext.driver, "virtual");
  strcpy(mixer->ext.name, "Virtual card");
  strcpy(mixer->ext.longname, "Virtual card");
  strcpy(mixer->ext.mixername, "Virtual card");
  mixer->ext.callback = &callbacks;
  mixer->ext.private_data = mixer;
  mixer->ext.tlv.p = scale;
  mixer->ext.poll_fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  inotify_add_watch(mixer->ext.poll_fd, path, IN_CLOSE_WRITE);
  int error = snd_ctl_ext_create(&mixer->ext, name, mode);
  if (error < 0) {
    close_mixer(&mixer->ext);
    return error;
  }
  *handlep = mixer->ext.handle;
  return 0;
}

SND_CTL_PLUGIN_SYMBOL(virtualcard);
