import Devices
import JSON
import PluginHost
import PluginProtocol
import TestSupport
import Testing

@Suite("Secrets that a plugin repeats")
struct SecretTests {
  private static let secret = #"päss"w/rd 1"#
  private static let mask = SecretMask([secret])

  @Test(
    "A secret is found as it is, as JSON writes it, and percent-encoded",
    arguments: [
      #"no, "päss"w/rd 1" is wrong"#, #"{"p": "päss\"w/rd 1"}"#, #"päss\"w\/rd 1"#,
      #"p\u00e4ss\"w/rd 1"#, "http://me:p%C3%A4ss%22w%2Frd%201@host/", "p%c3%a4ss%22w%2frd%201",
    ])
  func forms(text: String) {
    let masked = Self.mask.masked(text)
    #expect(masked.contains(SecretMask.cover))
    #expect(!masked.contains("rd 1") && !masked.contains("rd%201"))
  }

  @Test("Searches all texts and keys of a value, and changes nothing else")
  func values() {
    let mask = SecretMask(["hunter22", "line one\nline two", "abc"])
    let said: JSON = ["hunter22": ["x", ["line two", "abc", 22, .null, true, "hunter2"]]]
    #expect(
      mask.masked(said) == ["[secret]": ["x", ["[secret]", "abc", 22, .null, true, "hunter2"]]])
    #expect(SecretMask([]).masked(said) == said)
    #expect(mask.masked("hunterhunter22hunter22") == "hunter[secret][secret]")
  }

  @Test("F1 · words of the protocol and kept texts stay as they are, but not inside longer texts")
  func keptWords() {
    let mask = SecretMask(["PJLink", "power"], keeping: ["PJLinkProjector"])
    let answer: JSON = ["plugin": "PJLinkProjector", "title": "PJLink", "powers": "power"]
    let masked: JSON = ["plugin": "PJLinkProjector", "title": "[secret]", "[secret]s": "power"]
    #expect(mask.masked(answer) == masked)
    #expect(mask.masked("power") == "[secret]", "a text that is no part of a message")
  }

  @Test("F1 · every key of a plugin's message in docs/plugin-protocol.md is a word of the protocol")
  func documentedKeys() throws {
    var found: Set<String> = []
    let ofController = PluginContract.messages.filter { $0 is any ControllerNotification.Type }
      .map { $0.method }
    for line in try ProjectFile.text("docs/plugin-protocol.md").split(separator: "\n")
    where line.hasPrefix(#"{"jsonrpc""#) {
      switch try RPCMessage(line: Array(line.utf8)) {
      case .success(_, let result): found.formUnion(keys(of: result))
      case .failure(_, let error): found.formUnion(keys(of: error.data ?? .null))
      case .notification(let method, let params):
        if !ofController.contains(method) { found.formUnion(keys(of: params)) }
      case .request: break
      }
    }
    #expect(found.isSuperset(of: ["state", "position", "items", "kind", "peak"]))
    #expect(found.subtracting(ProtocolWords.all).isEmpty)
  }

  /// The keys in a value, without the names of attributes, which are the plugin's own.
  private func keys(of json: JSON) -> Set<String> {
    var found: Set<String> = []
    for value in json.array ?? [] { found.formUnion(keys(of: value)) }
    for (key, value) in json.object ?? [:] {
      found.insert(key)
      if key == "attributes" {
        for (_, attribute) in value.object ?? [:] { found.formUnion(keys(of: attribute)) }
      } else {
        found.formUnion(keys(of: value))
      }
    }
    return found
  }

  @Test("At the end of a cut text, the beginning of a secret is removed too")
  func cut() {
    let mask = SecretMask(["hunter22"])
    #expect(mask.masked(Array("a hunt".utf8), isCut: true) == Array("a ".utf8))
    #expect(mask.masked(Array("a hunt".utf8)) == Array("a hunt".utf8))
    #expect("\(mask)\(String(reflecting: mask))".contains("hunter22") == false)
  }

  @Test("F1 · a secret that a plugin repeats is in no error, value, status or line of its log")
  func repeated() async throws {
    let secret = "sesame-street"
    let plugin = try ScriptPlugin(
      """
      def opening(request):
          password = request["params"]["options"]["password"]
          sys.stderr.write("logging in with " + password + "\\n")
          sys.stderr.write("x" * 495 + password + "y" * 600 + "\\n")
          sys.stderr.flush()
          send({"method": "log", "params": {"level": "warning", "message": "sent " + password,
              "device": "sesame-street"}})
          send({"method": "log", "params": {"level": "debug", "message": "a detail"}})
          device = request["params"]["device"]
          send({"method": "state", "params": {"device": device, "state": {"power": "off"},
              "attributes": {"login": {"value": "me:" + password, "label": password}}}})
          reply(request, {"capabilities": []})
      def perform(request):
          send({"id": request["id"], "error": {"code": -32000, "message":
              "the bridge refused sesame-street", "data": {"kind": "refused",
              "hint": "is sesame-street right?"}}})
      """,
      devices: [
        HostedDevice(
          id: "sesame-street", role: .lights, plugin: "Script",
          options: ["password": .string(secret)], secrets: [secret])
      ])
    try await plugin.run { lamp in
      let error = try #require(await outcome(of: LightsCommand.on, on: lamp).failure)
      #expect(error.message == "the bridge refused [secret]")
      #expect(error.hint == "is [secret] right?")
      let login = try #require(await lamp.snapshot().state.attributes["login"])
      #expect(login.value == "me:[secret]" && login.label == "[secret]")
      // Standard error and the messages have no order among each other.
      try #require(await eventually { (try? await plugin.status().log.count) == 3 })
      let lines = try await plugin.status().log
      #expect(lines.contains("logging in with [secret]"))
      #expect(lines.contains("warning: sesame-street: sent [secret]"))
      let cut = try #require(lines.first { $0.hasPrefix("xxxxx") })
      #expect(!cut.contains("sesa"))
    }
  }

  @Test("F1 · a report in an answer reaches its device, though the device is named like a secret")
  func nameInAnswer() async throws {
    let bench = try SwapBench([.lights("sesame", "A", secrets: ["sesame"])])
    try await bench.run {
      let lamp = try bench.device("sesame")
      #expect(await outcome(of: LightsCommand.dim(30), on: lamp).success == .observed)
    }
  }

  @Test("F1 · a device whose secrets are words of the protocol reports its state")
  func wordsAsSecrets() async throws {
    let secrets = ["power", "brightness", "state", "stat", "report", "device"]
    let bench = try SwapBench([.lights("lamp", "A", secrets: secrets)])
    try await bench.run {
      let lamp = try bench.device("lamp")
      #expect(await outcome(of: LightsCommand.dim(30), on: lamp).success == .observed)
      #expect(await lamp.snapshot().state.power == .on)
    }
  }

  @Test("F1 · a plugin runs although a secret is a part of its id")
  func partOfID() async throws {
    let plugin = try ScriptPlugin(
      devices: [
        HostedDevice(
          id: "lamp", role: .lights, plugin: "Script", options: ["password": "Scrip"],
          secrets: ["Scrip"])
      ])
    try await plugin.run { lamp in
      #expect(await outcome(of: LightsCommand.on, on: lamp).success == .observed)
    }
  }
}
