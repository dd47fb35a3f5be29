/* __TITLE__: a plugin for the home theater in standard C. The plugin protocol is its contract. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include "json.h"

enum { LONGEST_LINE = 1 << 20 };
enum kind { NOTHING, INTEGER, NUMBER, TEXT, ITEM };

/* The commands of the role: the argument and its range, and the state after the command. In a state, $ is
   replaced by the argument, and @ by "on" if the argument is above 0, else by "off". */
static const struct command {
  const char *name; enum kind kind; int is_required; double least, most; const char *state;
} commands[] = {
__COMMANDS__
};
static const char first_state[] = __STATE__;
/* The open devices. Their names are JSON texts, with quotation marks. */
static struct device { struct device *next; int logs; char name[]; } *devices;
static char id[32]; /* The id of the current request, as JSON. */

static void accept(const char *result) { printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":%s}\n", id, result); }
static void refuse(int code, const char *kind, const char *message) {
  printf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":{\"code\":%d,\"message\":\"%s\",\"data\":{\"kind\":\"%s\"}}}\n",
         id, code, message, kind);
}
static void report(const struct device *device, const char *state, const char *argument) {
  printf("{\"jsonrpc\":\"2.0\",\"method\":\"state\",\"params\":{\"device\":%s,\"state\":{", device->name);
  for (; *state; state++)
    if (*state == '$') fwrite(argument, 1, value_end(argument, DEEPEST) - argument, stdout);
    else if (*state == '@') fputs(strtod(argument, NULL) > 0 ? "\"on\"" : "\"off\"", stdout);
    else putchar(*state);
  puts("}}}");
}
static int fits(enum kind kind, double least, double most, const char *p) {
  const char *item, *position = get(p, "position");
  double number = *p == '-' || (*p >= '0' && *p <= '9') ? strtod(p, NULL) : most + 1;
  if (kind == TEXT) return text(p) && p[1] != '"';
  if (kind != ITEM) return kind != NOTHING && number >= least && number <= most
      && (kind == NUMBER || number == (double)(long long)number);
  return *p == '{' && members(p, "item", &item) == (item != NULL) + (position != NULL)
      && (!item || fits(TEXT, 0, 0, item)) && (!position || fits(NUMBER, least, most, position));
}
static void perform(const struct device *device, const char *command) {
  const char *argument = NULL, *name = command;
  if (*command == '{') name = members(command, NULL, &argument) == 1 ? space(command + 1) : "";
  for (size_t i = 0; text(name) && i < sizeof commands / sizeof *commands; i++) {
    const struct command *row = &commands[i];
    if (strlen(row->name) + 2 != (size_t)(string_end(name) - name) || !is(name + 1, row->name)) continue;
    if (argument ? !fits(row->kind, row->least, row->most, argument) : row->is_required) break;
    if (device->logs) fprintf(stderr, "%s: %s\n", device->name, row->name);
    /* Tell your device here. */
    if (*row->state) report(device, row->state, argument);
    return accept("{}");
  }
  refuse(-32000, "invalid", "unknown command, or an argument outside its range");
}
static struct device **find(const char *name) {
  struct device **place = &devices;
  size_t length = text(name) ? string_end(name) - name : 0;
  while (*place && (strlen((*place)->name) != length || !is(name, (*place)->name))) place = &(*place)->next;
  return place;
}
static void close_device(struct device **place) {
  struct device *device = *place;
  if (device) *place = device->next;
  free(device);
}
static void open_device(const char *params) {
  const char *name = text(get(params, "device")), *role = text(get(params, "role"));
  if (!name || !role) return refuse(-32602, "invalid", "the device or its role is missing");
  close_device(find(name));
  if (!is(role, "\"__ROLE__\"")) return refuse(-32000, "unsupported", "this plugin has no such role");
  struct device *device = calloc(1, sizeof *device + (string_end(name) - name) + 1);
  if (!device) return refuse(-32603, "failed", "there is no memory left");
  memcpy(device->name, name, string_end(name) - name);
  device->logs = is(get(get(params, "options"), "log"), "true");
  device->next = devices;
  devices = device;
  report(device, first_state, NULL);
  accept("{\"capabilities\":[],\"reportsState\":true,\"cables\":[]}");
}
static void initialize(const char *version) {
  char message[80];
  int length = text(version) ? strspn(version + 1, "0123456789.") : 0;
  snprintf(message, sizeof message, "the controller speaks %.*s, this plugin 1.0", length, version + 1);
  if (!length) refuse(-32602, "invalid", "the protocol is missing");
  else if (strtol(version + 1, NULL, 10) != 1) refuse(-32001, "refused", message);
  else accept("{\"protocol\":\"1.0\",\"plugin\":\"__ID__\",\"version\":\"1.0.0\"}");
}

/* Answers a request. Returns whether the plugin is to end. */
static int answer(const char *method, const char *params) {
  const char *const methods[] = {"perform", "close", "scan", "openSocket", "plug", "lend", "unplug"};
  const char *command = get(params, "command");
  struct device **device = find(get(params, "device"));
  int i = 0;
  if (is(method, "\"initialize\"")) return initialize(get(params, "protocol")), 0;
  if (is(method, "\"open\"")) return open_device(params), 0;
  if (is(method, "\"ping\"")) return accept("{}"), 0;
  if (is(method, "\"shutdown\"")) return accept("{}"), 1;
  while (i < 7 && !(text(method) && is(method + 1, methods[i]) && method[strlen(methods[i]) + 1] == '"')) i++;
  if (i == 7) refuse(-32601, "unsupported", "unknown method");
  else if (!*device || (i == 0 && !command)) refuse(-32602, "invalid", "the device is not open, or a param is missing");
  else if (i == 0) perform(*device, command);
  else if (i == 1) close_device(device), accept("{}");
  else if (i == 2) accept("{\"items\":[]}");
  else refuse(-32000, "unsupported", "this device has no cables");
  return 0;
}
/* Answers a line, if it is a request. Returns whether the plugin is to end. */
static int receive(const char *line, size_t length) {
  const char *value = space(line), *end = value_end(value, DEEPEST);
  const char *method, *number;
  size_t digits;
  if (!end || space(end) != line + length || mbstowcs(NULL, line, 0) == (size_t)-1)
    return refuse(-32700, "invalid", "not JSON in UTF-8, or nested too deep"), 0;
  method = get(value, "method"), number = get(value, "id");
  digits = number ? value_end(number, 0) - number : 0;
  if (!is(get(value, "jsonrpc"), "\"2.0\"") || digits >= sizeof id
      || (digits && strspn(number, "-0123456789") < digits)
      || !(method || get(value, "result") || get(value, "error")))
    return refuse(-32600, "invalid", "not a message of JSON-RPC 2.0 with a whole number as its id"), 0;
  if (!method || !number) return 0; /* An answer or a notification: this plugin uses none. */
  memcpy(id, number, digits);
  id[digits] = 0;
  return answer(method, get(value, "params"));
}
int main(int count, char **arguments) {
  static char line[LONGEST_LINE + 1];
  size_t length = 0;
  int is_over = 0;
  if (count > 1 && !strcmp(arguments[1], "--self-check")) return puts("{\"ok\": true}") < 0;
  setlocale(LC_CTYPE, "C.UTF-8"); /* For mbstowcs, which checks UTF-8. */
  for (int c; !is_over && (c = getchar()) != EOF;) {
    if (c != '\n') {
      if (length++ < LONGEST_LINE) line[length - 1] = c;
      continue;
    }
    strcpy(id, "null");
    if (length > LONGEST_LINE) refuse(-32600, "invalid", "a line is too long");
    else if (length) line[length] = 0, is_over = receive(line, length);
    fflush(stdout);
    length = 0;
  }
  return 0;
}
