#!/bin/sh
# Opens a device of the plugin, gives it a command, and checks the answers.
cd "$(dirname "$0")" || exit 1

request() {
  printf '{"jsonrpc": "2.0", "id": %s, "method": "%s", "params": %s}\n' "$1" "$2" "$3"
}
output=$(
  {
    request 1 initialize '{"protocol": "1.0", "controller": "test"}'
    request 2 open '{"device": "a", "role": "__ROLE__", "options": {}}'
    request 3 perform '{"device": "a", "command": "__FIRST_COMMAND__"}'
    request 4 perform '{"device": "a", "command": "levitate"}'
    request 5 shutdown '{}'
  } | ./plugin
)

expect() {
  if ! printf '%s\n' "$output" | grep -qF -e "$1"; then
    printf 'expected a line with %s in:\n%s\n' "$1" "$output"
    exit 1
  fi
}
expect '"id":1,"result":{"protocol":"1.0","plugin":"__ID__"'
expect '"id":2,"result"'
expect '"state":{__FIRST_STATE__}'
expect '"id":3,"result"'
expect '"kind":"invalid"'
expect '"id":5,"result"'
echo "the plugin opens a device and performs a command"
