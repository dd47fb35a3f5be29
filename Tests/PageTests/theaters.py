"""Theaters beside the shipped one: those of the fixtures, and the shipped one renamed."""

import json
import random
import string

from controller import ROOT

FIXTURES = ROOT / "Tests/Fixtures/Theaters"


def fixture_configuration(name):
    """Returns a theater of the fixtures, with paths that hold from any folder.

    Its simulated devices take no time.
    """
    made = json.loads((FIXTURES / f"{name}.json").read_text())
    made["$schema"] = str(ROOT / "devices.schema.json")
    for device in made["devices"].values():
        options = device.setdefault("options", {})
        if "folders" in options:
            options["folders"] = [str((FIXTURES / each).resolve()) for each in options["folders"]]
        if device["plugin"] == "Simulated":
            options["speed"] = 0
    return made


class Renaming:
    """New names of all devices, inputs, scenes and activities of a configuration, by a seed."""

    def __init__(self, configuration, seed):
        self.random = random.Random(seed)
        self.devices = {name: self._word() for name in configuration["devices"]}
        self.scenes = {name: self._word() for name in configuration["scenes"]}
        self.activities = {name: self._word() for name in configuration["activities"]}
        self.inputs = {cable["input"]: self._word() for cable in configuration["cables"]}
        self.titles = {}
        for section in ("devices", "scenes", "activities"):
            for entry in configuration[section].values():
                title = entry.get("title")
                if title and title not in self.titles:
                    self.titles[title] = f"{self._word()} {self._word()}".capitalize()
        self.configuration = self._rename(configuration)

    def _word(self):
        # Its beginning is that of no word of the page.
        return "qz" + "".join(self.random.choices(string.ascii_lowercase, k=9))

    def original(self, text):
        """Returns a text of the page with the names that the configuration had before."""
        for names in (self.titles, self.scenes, self.activities, self.devices, self.inputs):
            for old, new in names.items():
                text = text.replace(new, old)
        return text

    def _rename(self, configuration):
        renamed = dict(configuration)
        renamed["devices"] = {
            self.devices[name]: self._device(name, entry, configuration["cables"])
            for name, entry in configuration["devices"].items()
        }
        renamed["cables"] = [
            {
                "from": self.devices[cable["from"]],
                "to": self.devices[cable["to"]],
                "input": self.inputs[cable["input"]],
            }
            for cable in configuration["cables"]
        ]
        renamed["scenes"] = {
            self.scenes[name]: {**self._entry(scene), "steps": self._steps(scene["steps"])}
            for name, scene in configuration["scenes"].items()
        }
        renamed["activities"] = {
            self.activities[name]: self._activity(entry)
            for name, entry in configuration["activities"].items()
        }
        renamed["library"] = {
            kind: [self._item(item) for item in items]
            for kind, items in configuration["library"].items()
        }
        return renamed

    def _entry(self, entry):
        return {**entry, **({"title": self.titles[entry["title"]]} if "title" in entry else {})}

    def _device(self, name, entry, cables):
        renamed = self._entry(entry)
        inputs = [self.inputs[cable["input"]] for cable in cables if cable["to"] == name]
        if inputs:
            # A simulated amplifier begins at the first of its inputs, the renamed one too.
            renamed["options"] = {**entry.get("options", {}), "inputs": inputs}
        return renamed

    def _activity(self, entry):
        renamed = self._entry(entry)
        for key, names in (
            ("start", self.scenes),
            ("end", self.scenes),
            ("player", self.devices),
            ("amplifier", self.devices),
        ):
            if key in entry:
                renamed[key] = names[entry[key]]
        return renamed

    def _item(self, item):
        if not isinstance(item, dict) or "player" not in item:
            return item
        return {**item, "player": self.devices[item["player"]]}

    def _steps(self, steps):
        return [self._step(step) for step in steps]

    def _step(self, step):
        if isinstance(step, list):
            return self._steps(step)
        return {self.devices.get(key, key): self._commands(value) for key, value in step.items()}

    def _commands(self, value):
        """Renames the steps and the inputs within the value of a key of a step."""
        if isinstance(value, list):
            return [self._commands(each) for each in value]
        if not isinstance(value, dict):
            return value
        if "input" in value:
            return {"input": self.inputs[value["input"]]}
        return self._step(value) if value.keys() & self.devices.keys() else value
