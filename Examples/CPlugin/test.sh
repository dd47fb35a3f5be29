#!/bin/sh
# Opens a device of the plugin, gives it a command, and checks the answers.
cd "$(dirname "$0")" || exit 1
output=$(printf '%s\n' \
  '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": "1.0", "controller": "test"}}' \
  '{"jsonrpc": "2.0", "id": 2, "method": "open", "params": {"device": "a", "role": "lights", "options": {}}}' \
  '{"jsonrpc": "2.0", "id": 3, "method": "perform", "params": {"device": "a", "command": "on"}}' \
  '{"jsonrpc": "2.0", "id": 4, "method": "perform", "params": {"device": "a", "command": "levitate"}}' \
  '{"jsonrpc": "2.0", "id": 5, "method": "shutdown", "params": {}}' | ./plugin)

expect() {
  if ! printf '%s\n' "$output" | grep -qF -e "$1"; then
    printf 'expected a line with %s in:\n%s\n' "$1" "$output"
    exit 1
  fi
}
expect '"id":1,"result":{"protocol":"1.0","plugin":"CPlugin"'
expect '"id":2,"result"'
expect '"state":{"power":"on","brightness":100}'
expect '"id":3,"result"'
expect '"kind":"invalid"'
expect '"id":5,"result"'
echo "the plugin opens a device and performs a command"
