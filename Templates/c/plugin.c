/* __TITLE__: a plugin for the home theater in standard C. The plugin protocol is its contract. */
#include <cjson/cJSON.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_LINE = 1 << 20, DEEPEST = 64 };
enum kind { NOTHING, INTEGER, NUMBER, TEXT, ITEM };

/* The commands of the role: the argument and its range, and the state after the command. In a state, $ is
   replaced by the argument, and @ by "on" if the argument is above 0, else by "off". */
static const struct command {
  const char *name; enum kind kind; int is_required; double least, most; const char *state;
} commands[] = {
__COMMANDS__
};
static const char first_state[] = __STATE__;
static cJSON *devices; /* The open devices: for each name the params of its request `open`. */
static char id[32]; /* The id of the current request, as JSON. */
static int is_over; /* Whether the plugin is to end. */
static int is(const char *text, const char *other) { return text && !strcmp(text, other); }
static const cJSON *get(const cJSON *object, const char *key) { return cJSON_GetObjectItemCaseSensitive(object, key); }
static const char *get_text(const cJSON *object, const char *key) { return cJSON_GetStringValue(get(object, key)); }
static void report(const cJSON *device, const char *state, const cJSON *argument) {
  char *name = cJSON_PrintUnformatted(get(device, "device")), *value = cJSON_PrintUnformatted(argument);
  printf("{\"jsonrpc\":\"2.0\",\"method\":\"state\",\"params\":{\"device\":%s,\"state\":{", name ? name : "null");
  for (; *state; state++)
    if (*state == '$') fputs(value ? value : "null", stdout);
    else if (*state == '@') fputs(cJSON_GetNumberValue(argument) > 0 ? "\"on\"" : "\"off\"", stdout);
    else putchar(*state);
  puts("}}}");
  cJSON_free(name), cJSON_free(value);
}
/* Answers the current request with an error. */
static const char *fail(int code, const char *kind, const char *message) {
  printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"%s\",\"data\":{\"kind\":\"%s\"}}}\n",
         id, code, message, kind);
  return NULL;
}
static int fits(const cJSON *value, enum kind kind, double least, double most) {
  const cJSON *item = get(value, "item"), *position = get(value, "position");
  double number = cJSON_GetNumberValue(value); /* NaN, which is in no range, if the value is no number. */
  if (kind == NUMBER) return number >= least && number <= most;
  if (kind == INTEGER) return number >= least && number <= most && number == (double)(long long)number;
  if (kind == TEXT) return cJSON_IsString(value) && *value->valuestring;
  return kind == ITEM && cJSON_IsObject(value) && cJSON_GetArraySize(value) == (item != NULL) + (position != NULL)
      && (!item || fits(item, TEXT, 0, 0)) && (!position || fits(position, NUMBER, least, most));
}
/* This function and those below return the result of the request as JSON, or NULL after an error. */
static const char *perform(const cJSON *device, const cJSON *command) {
  const cJSON *argument = cJSON_IsObject(command) && cJSON_GetArraySize(command) == 1 ? command->child : NULL;
  const char *name = argument ? argument->string : cJSON_GetStringValue(command);
  for (const struct command *row = commands; row < commands + sizeof commands / sizeof *commands; row++) {
    if (!is(name, row->name)) continue;
    if (argument ? !fits(argument, row->kind, row->least, row->most) : row->is_required) break;
    if (cJSON_IsTrue(get(get(device, "options"), "log"))) fprintf(stderr, "%s: %s\n", device->string, name);
    /* Tell your device here. */
    if (*row->state) report(device, row->state, argument);
    return "{}";
  }
  return fail(-32000, "invalid", "unknown command, or an argument outside its range");
}
/* Release here what you have taken in open_device: a connection, files, threads, child processes. */
static void close_device(const char *name) { cJSON_DeleteItemFromObjectCaseSensitive(devices, name); }
static const char *open_device(const cJSON *params) {
  const char *name = get_text(params, "device"), *role = get_text(params, "role");
  if (!name || !role) return fail(-32602, "invalid", "the device or its role is missing");
  if (get(devices, name)) close_device(name);
  if (!is(role, "__ROLE__")) return fail(-32000, "unsupported", "this plugin has no such role");
  if (!cJSON_AddItemToObject(devices, name, cJSON_Duplicate(params, 1))) return fail(-32603, "failed", "out of memory");
  report(get(devices, name), first_state, NULL);
  return "{\"capabilities\":[],\"reportsState\":true,\"cables\":[]}";
}
static const char *initialize(const char *version) {
  char message[80];
  int major, minor;
  if (!version || sscanf(version, "%9d.%9d", &major, &minor) != 2) return fail(-32602, "invalid", "no valid version");
  if (major == 1) return "{\"protocol\":\"1.0\",\"plugin\":\"__ID__\",\"version\":\"1.0.0\"}";
  snprintf(message, sizeof message, "the controller speaks %d.%d, this plugin 1.0", major, minor);
  return fail(-32001, "refused", message);
}
static const char *answer(const char *method, const cJSON *params) {
  const cJSON *device = get(devices, get_text(params, "device")), *command = get(params, "command");
  int is_cable = is(method, "openSocket") || is(method, "plug") || is(method, "lend") || is(method, "unplug");
  int is_perform = is(method, "perform"), is_scan = is(method, "scan"), is_close = is(method, "close");
  is_over = is(method, "shutdown");
  if (is_over || is(method, "ping")) return "{}";
  if (is(method, "initialize")) return initialize(get_text(params, "protocol"));
  if (is(method, "open")) return open_device(params);
  if (!is_cable && !is_perform && !is_scan && !is_close) return fail(-32601, "unsupported", "unknown method");
  if (!device) return fail(-32602, "invalid", "the device is not open");
  if (is_cable) return fail(-32000, "unsupported", "this device has no cables");
  if (is_scan) return "{\"items\":[]}";
  if (is_perform) return command ? perform(device, command) : fail(-32602, "invalid", "the command is missing");
  close_device(device->string);
  return "{}";
}

/* Checks depth, control characters and UTF-8: cJSON does not. Its texts end at U+0000, so U+FFFD replaces it. */
static int is_valid(char *line, size_t length) {
  int depth = 0, is_in_text = 0;
  for (char *c = line; c < line + length; c++) {
    if ((unsigned char)*c < ' ' && (is_in_text || (*c != '\t' && *c != '\r'))) return 0;
    if (!strncmp(c, "\\u0000", 6)) memcpy(c, "\\ufffd", 6);
    if (*c == '"') is_in_text = !is_in_text;
    else if (*c == '\\') c++;
    else if (!is_in_text && (depth += (*c == '{' || *c == '[') - (*c == '}' || *c == ']')) > DEEPEST) return 0;
  }
  return mbstowcs(NULL, line, 0) != (size_t)-1 && strncmp(line, "\xEF\xBB\xBF", 3); /* No byte-order mark. */
}
/* Answers a line, if it is a request. */
static void receive(char *line, size_t length) {
  cJSON *message = length <= LONGEST_LINE && is_valid(line, length) ? cJSON_ParseWithOpts(line, NULL, 1) : NULL;
  const cJSON *number = get(message, "id");
  const char *method = get_text(message, "method"), *result = NULL;
  strcpy(id, "null");
  if (length > LONGEST_LINE) fail(-32600, "invalid", "a line is too long");
  else if (!message) fail(-32700, "invalid", "not JSON in UTF-8, or nested too deep");
  else if (!is(get_text(message, "jsonrpc"), "2.0")
           || (number && !fits(number, INTEGER, -9e15, 9e15)) /* A double holds each whole number up to 9e15. */
           || !(method || get(message, "result") || get(message, "error")))
    fail(-32600, "invalid", "not a message of JSON-RPC 2.0 with a whole number as its id");
  else if (method && number) {
    snprintf(id, sizeof id, "%.0f", number->valuedouble);
    result = answer(method, get(message, "params"));
    if (result) printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result);
  }
  fflush(stdout);
  cJSON_Delete(message);
}
int main(int count, char **arguments) {
  static char line[LONGEST_LINE + 2];
  size_t length = 0;
  if (count > 1 && is(arguments[1], "--self-check")) return puts("{\"ok\": true}") < 0;
  setlocale(LC_CTYPE, "C.UTF-8"); /* For mbstowcs, which checks UTF-8. */
  devices = cJSON_CreateObject();
  for (int c; !is_over && (c = getchar()) != EOF;) {
    if (c != '\n' && length <= LONGEST_LINE) line[length++] = c;
    if (c != '\n') continue;
    line[length] = 0;
    if (length) receive(line, length);
    length = 0;
  }
  while (devices->child) close_device(devices->child->string);
  cJSON_Delete(devices);
  return 0;
}
