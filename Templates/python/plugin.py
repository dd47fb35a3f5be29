#!/usr/bin/env python3
"""__TITLE__: a plugin for the home theater.

This file is about your device; theater_plugin.py beside it speaks the plugin protocol. What you
print goes to the log.
"""

from theater_plugin import Device, Plugin

# In a state, ARGUMENT stands for the argument, and SWITCH for "on" if it is above 0, else "off".
ARGUMENT, SWITCH = object(), object()

# The commands of the role that every device has, and the state after each of them.
STATES = {
__COMMANDS__
}
FIRST_STATE = __STATE__


class MyDevice(Device):
    """A device of the role __ROLE__. Replace the marked lines with calls to yours."""

    def open(self):
        # Connect to your device here. Raise DeviceError if it cannot be reached.
        self.note("opened")
        self.report(FIRST_STATE)  # Report the true state of your device here.

    def perform(self, name, argument):
        self.note(name)
        # Tell your device here, before the report.
        values = {ARGUMENT: argument, SWITCH: "on" if argument else "off"}
        state = STATES[name]
        if state:
            self.report(
                {
                    key: values[value] if value in (ARGUMENT, SWITCH) else value
                    for key, value in state.items()
                }
            )

    def close(self):
        # Release here what `open` has taken: the connection, files, threads, child processes.
        self.note("closed")

    def note(self, what):
        if self.options.get("log") is True:
            print(f"{self.name}: {what}")


if __name__ == "__main__":
    Plugin("__ID__", "1.0.0", {"__ROLE__": MyDevice}).run()
