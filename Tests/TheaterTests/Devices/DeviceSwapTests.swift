import ArgumentParser
import JSON
import Testing

@testable import theater

@Suite struct DeviceSwapTests {
  @Test("F6 · the options of a swap are JSON, or else texts")
  func swap() throws {
    let swap = try DeviceSwap.parse([
      "amp", "--plugin", "ALSAAmplifier", "--option", "device=hw:CARD=1,DEV=0", "--option",
      "buffer=100", "--option", #"inputs=["a", "b"]"#, "--option", #"name="7""#, "--option",
      "empty=",
      "--process", "second", "--save",
    ])
    #expect(
      swap.body == [
        "plugin": "ALSAAmplifier", "save": true, "process": "second",
        "options": [
          "device": "hw:CARD=1,DEV=0", "buffer": 100, "inputs": ["a", "b"], "name": "7",
          "empty": "",
        ],
      ])
    #expect(
      try DeviceSwap.parse(["amp", "--plugin", "x"]).body == ["plugin": "x", "save": false])
  }

  @Test("F6 · the value of a swap's option may be negative")
  func negativeOption() throws {
    let words = ["amp", "--plugin", "x", "--option", "gain=-3", "--option", "-y=1"]
    #expect(
      try DeviceSwap.parse(words).body == [
        "plugin": "x", "save": false, "options": ["gain": -3, "-y": 1],
      ])
    let command = try Theater.parseAsRoot(["device", "swap"] + words)
    #expect((command as? DeviceCommand)?.command == words)
  }

  @Test("F6 · the text of a swap names the changes and how long they last")
  func swapText() {
    let change: JSON = [
      "kind": "changed", "section": "devices", "name": "amp", "keys": ["plugin"], "live": true,
    ]
    func text(_ changes: JSON, saved: Bool) -> String {
      DeviceSwap.text([
        "device": "amp", "plugin": "Simulated", "saved": .bool(saved), "changes": changes,
      ])
    }
    #expect(
      text([change], saved: false) == """
        amp has the plugin Simulated now.
        ~ devices.amp: plugin
        Until the next start, or until its entry in devices.json is edited; --save keeps it.
        """)
    #expect(text([change], saved: true).hasSuffix("\ndevices.json has this entry."))
    #expect(text([], saved: false) == "amp has the plugin Simulated already.")
  }
}
