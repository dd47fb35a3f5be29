/* A JSON reader without copies: a value is a pointer to its first character. */
#include <string.h>

enum { DEEPEST = 64 };

/* Each of these functions returns the end of the value at p, or NULL if there is no such value. */
static const char *space(const char *p) { return p + strspn(p, " \t\r\n"); }
static const char *digits(const char *p) { size_t n = strspn(p, "0123456789"); return n ? p + n : NULL; }

static const char *string_end(const char *p) {
  if (*p++ != '"') return NULL;
  for (; *p != '"'; p++) {
    if ((unsigned char)*p < 0x20) return NULL;
    if (*p != '\\') continue;
    if (*++p == 'u' && strspn(p + 1, "0123456789abcdefABCDEF") >= 4) p += 4;
    else if (!*p || !strchr("\"\\/bfnrt", *p)) return NULL;
  }
  return p + 1;
}
static const char *number_end(const char *p) {
  p += *p == '-';
  if ((p = *p == '0' ? p + 1 : digits(p)) && *p == '.') p = digits(p + 1);
  if (p && (*p == 'e' || *p == 'E')) p = digits(p + 1 + (p[1] == '+' || p[1] == '-'));
  return p;
}
static const char *value_end(const char *p, int levels) {
  char close = *p == '{' ? '}' : ']';
  if (!strncmp(p, "true", 4) || !strncmp(p, "null", 4)) return p + 4;
  if (!strncmp(p, "false", 5)) return p + 5;
  if (*p == '"') return string_end(p);
  if (*p != '{' && *p != '[') return number_end(p);
  if (levels == 0) return NULL;
  if (*(p = space(p + 1)) == close) return p + 1;
  for (;; p = space(p + 1)) {
    if (close == '}' && (!(p = string_end(p)) || *(p = space(p)) != ':')) return NULL;
    if (!(p = value_end(close == '}' ? space(p + 1) : p, levels - 1))) return NULL;
    if (*(p = space(p)) == close) return p + 1;
    if (*p != ',') return NULL;
  }
}
/* Counts the members of an object, and sets *found to the value of a key; without a key, to the last value. */
static int members(const char *p, const char *key, const char **found) {
  int count = 0;
  *found = NULL;
  for (p = p && *p == '{' ? space(p + 1) : ""; *p == '"'; p = space(p + (*p == ',')), count++) {
    const char *end = string_end(p), *value = space(space(end) + 1);
    if (!key || (strlen(key) + 2 == (size_t)(end - p) && !strncmp(p + 1, key, strlen(key)))) *found = value;
    p = space(value_end(value, DEEPEST));
  }
  return count;
}
static const char *get(const char *object, const char *key) { const char *v; return members(object, key, &v), v; }
static const char *text(const char *p) { return p && *p == '"' ? p : NULL; }
static int is(const char *p, const char *json) { return p && !strncmp(p, json, strlen(json)); }
