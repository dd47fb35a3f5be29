import APIClient
import Foundation
import Glibc
import JSON
import NIOHTTP1
import TestSupport
import Testing

/// Nine devices, one of which misbehaves in every known way while films are watched on the others.
///
/// The kinds are those of `Tests/Fixtures/HostilePlugin`. `Benchmarks/run.py hostile-household` runs each
/// for ten minutes.
@Suite(.serialized) struct HostileHouseholdTests {
  private static let fixture = Program.project.appendingPathComponent(
    "Tests/Fixtures/HostilePlugin")
  /// The most bytes by which the controller's memory may grow with each kind.
  private static let mostGrowth = 10 << 20

  /// A misbehaviour of the fixture.
  struct Kind: Sendable {
    let name: String
    /// The device that misbehaves.
    let device: String
    /// A text that the controller shows about the plugin; empty if it shows nothing.
    let shown: String
    /// Whether it takes longer than a few seconds to be shown.
    let isSlow: Bool
    /// The item whose picture must be requested to provoke it; `nil` for other kinds.
    let picture: String?

    init?(_ json: JSON) {
      guard let name = json["kind"]?.string, let device = json["device"]?.string,
        let shown = json["shown"]?.string, let isSlow = json["isSlow"]?.bool
      else { return nil }
      (self.name, self.device, self.shown, self.isSlow) = (name, device, shown, isSlow)
      picture = json["picture"]?.string
    }

    static func all() async throws -> [Kind] {
      let answer = try await Program.run(
        fixture.appendingPathComponent("hostile.py"), ["--kinds"], environment: nil, folder: fixture
      )
      return try #require(try JSON(parsing: answer.output).array).compactMap(Kind.init)
    }
  }

  /// The shipped household with simulated devices that need no time.
  private static func household() throws -> SmallTheater {
    let shipped = try JSON(
      parsing: Data(contentsOf: Program.project.appendingPathComponent("devices.json")))
    var more = try #require(shipped.object)
    more["$schema"] = .string(Program.project.appendingPathComponent("devices.schema.json").path)
    var devices: JSONObject = [:]
    for (name, device) in more["devices"]?.object ?? [:] {
      devices[name] = [
        "role": device["role"] ?? .null, "plugin": "Simulated", "options": ["speed": 0],
      ]
    }
    // An amplifier of its own, because a film is heard through the other one.
    devices["headphones"] = ["role": "amplifier", "plugin": "Simulated", "options": ["speed": 0]]
    more["devices"] = .object(devices)
    var library = more["library"]?.object ?? [:]
    library["folders"] = []
    more["library"] = .object(library)
    let theater = try SmallTheater(more: more)
    try FileManager.default.createSymbolicLink(
      at: theater.folder.appendingPathComponent("plugins/Hostile"), withDestinationURL: fixture)
    return theater
  }

  @Test(
    "a film evening goes on beside a device that misbehaves, and memory grows by at most 10 MiB"
  )
  func household() async throws {
    let theater = try Self.household()
    #expect(try await theater.start())
    let evening = Evening(theater: theater, client: try await theater.registerOwner())
    await evening.expectAvailable()
    for _ in 0..<2 { try await evening.watchAndEnd("before") }
    let simulated = await evening.plugin("Simulated")?["pid"]
    let before = try Usage(of: theater.pid)
    var notes: [String] = []
    for kind in try await Kind.all() where !kind.isSlow {
      let memory = try Usage(of: theater.pid).memory
      try await evening.runEvenings(with: kind)
      // The controller returns freed memory a moment after the device is gone.
      let isFreed = await eventually {
        guard let usage = try? Usage(of: theater.pid) else { return false }
        return usage.memory - memory <= Self.mostGrowth
      }
      let usage = try Usage(of: theater.pid)
      #expect(isFreed, "\(kind.name): \(memory >> 10) KiB, then \(usage)")
      notes.append("\(kind.name): \(usage)")
    }
    #expect(await evening.plugin("Simulated")?["pid"] == simulated)
    // The last device's process and its threads may be gone a moment later than the device.
    let areReturned = await eventually {
      guard let usage = try? Usage(of: theater.pid) else { return false }
      return usage.files <= before.files + 4 && usage.threads <= before.threads + 8
    }
    #expect(areReturned, "before: \(before); \(notes.joined(separator: "; "))")
    await theater.close()
  }

  @Test("The documentation names every kind of misbehaviour that the hostile plugin has")
  func documented() async throws {
    let text = try ProjectFile.text("docs/security.md")
    for kind in try await Kind.all() { #expect(text.contains("`\(kind.name)`"), "\(kind.name)") }
  }
}

/// The memory, descriptors and threads of a process, from `/proc`.
private struct Usage: CustomStringConvertible {
  /// The anonymous memory in bytes. Pages of files are not counted, because their share depends on
  /// the other processes that map the same files.
  let memory: Int
  let files: Int
  let threads: Int

  init(of pid: pid_t) throws {
    let text = try String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("Anonymous:") }
    memory = try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1024
    files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count
    threads = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").count
  }

  var description: String { "\(memory >> 10) KiB, \(files) files, \(threads) threads" }
}

/// Film evenings over the controller's socket.
private struct Evening {
  let theater: SmallTheater
  let client: ControllerClient

  private func get(_ path: String) async -> JSON? {
    try? await client.send(.GET, "/api/v1/\(path)").json
  }

  /// The entry of a plugin in the list of plugins.
  func plugin(_ id: String) async -> JSON? {
    await get("plugins")?["plugins"]?.array?.first { $0["id"]?.string == id }
  }

  private func expect(_ device: String, _ key: String, _ kind: String, _ values: JSON...) async {
    let isSo = await eventually {
      guard let value = await get("devices/\(device)")?["state"]?[key]?["value"] else {
        return false
      }
      return values.contains(value) || value["state"].map(values.contains) == true
    }
    #expect(isSo, "\(kind): \(device) \(key) is not \(values)")
  }

  /// Waits until every device can be reached.
  func expectAvailable(_ kind: String = "start") async {
    let isSo = await eventually {
      let devices = await get("devices")?["devices"]?.array ?? []
      return devices.count == 9 && devices.allSatisfy { $0["availability"] == "available" }
    }
    #expect(isSo, "\(kind): a device is not available")
  }

  /// Watches a film with popcorn, and ends it.
  func watchAndEnd(_ kind: String) async throws {
    let watch = try await client.send(
      .POST, "/api/v1/watch", ["item": "night-ferry", "fromStart": true], wait: 30)
    #expect((200..<300).contains(watch.status), "\(kind): \(watch.status) \(watch.json)")
    await expect("dvd", "playback", kind, "playing")
    await expect("lights", "brightness", kind, 10)
    await expect("screen", "position", kind, "down")
    await expect("projector", "power", kind, "on")
    await expect("amp", "input", kind, "dvd")
    await expect("popper", "popping", kind, "popping", "done")
    let end = try await client.send(.POST, "/api/v1/end", [:], wait: 30)
    #expect((200..<300).contains(end.status), "\(kind): \(end.status) \(end.json)")
    await expect("lights", "brightness", kind, 100)
    await expect("projector", "power", kind, "off")
    await expect("amp", "power", kind, "off")
    await expect("dvd", "power", kind, "off")
  }

  /// Makes a device misbehave during one or more film evenings, for at least one second, until the
  /// controller shows it. Then replaces the device with a simulated one.
  func runEvenings(with kind: HostileHouseholdTests.Kind) async throws {
    let began = ContinuousClock.now
    try await swap(kind.device, to: "Hostile", ["kind": .string(kind.name)], kind.name)
    repeat { try await watchAndEnd(kind.name) } while ContinuousClock.now - began < .seconds(1)
    let isShown = await eventually {
      guard !kind.shown.isEmpty else { return true }
      if await plugin("Hostile")?.text().contains(kind.shown) == true { return true }
      await provoke(kind)
      return false
    }
    let status = await plugin("Hostile")?.text() ?? "no plugin"
    #expect(isShown, "\(kind.name): \(status)")
    try await swap(kind.device, to: "Simulated", ["speed": 0], kind.name)
    await expectAvailable(kind.name)
  }

  /// Sends a request to the device, because some kinds misbehave only in answers. The request
  /// fails while the device is not open.
  private func provoke(_ kind: HostileHouseholdTests.Kind) async {
    guard let item = kind.picture else {
      _ = try? await client.send(.POST, "/api/v1/devices/\(kind.device)/commands", "on", wait: 1)
      return
    }
    _ = try? await client.send(.POST, "/api/v1/library/scan", [:], wait: 5)
    _ = try? await client.send(.GET, "/api/v1/library/picture?item=\(item)", wait: 5)
  }

  private func swap(_ device: String, to plugin: String, _ options: JSON, _ kind: String)
    async throws
  {
    func send(_ client: ControllerClient) async throws -> ControllerResponse {
      try await client.send(
        .POST, "/api/v1/devices/\(device)/plugin",
        ["plugin": .string(plugin), "options": options])
    }
    var swap = try await send(client)
    if swap.json["error"]?["code"] == "proofNeeded" {
      // The evenings have taken longer than the login counts as a proof.
      let proven = theater.client(token: try await theater.logIn())
      swap = try await send(proven)
      _ = try await proven.send(.DELETE, "/api/v1/sessions/current")
    }
    #expect((200..<300).contains(swap.status), "\(kind): \(swap.status) \(swap.json)")
  }
}
