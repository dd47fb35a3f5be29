import Devices
import JSON
@testable import PluginHost
import TestSupport
import Testing

@Suite("Many configurations, one after the other")
struct ConfigurationSequenceTests {
  /// The expected devices, by a model that knows no plugins.
  private struct Model {
    struct Known {
      let object: DeviceProxy
      var entry: HostedDevice
      var generation = 0
      /// The commanded brightness; `nil` before the first command and for other roles.
      var brightness: Int?
    }
    var known: [DeviceID: Known] = [:]

    static func isServed(_ entry: HostedDevice) -> Bool {
      SwapBench.roles[entry.plugin]?.contains(entry.role) == true
    }

    /// The plugins of the processes that serve `entries`, each as often as it has processes.
    static func processes(of entries: [HostedDevice]) -> [String] {
      Set(entries.filter(isServed).map(\.processKey)).map(\.plugin).sorted()
    }

    /// Updates the model with a configuration that was applied. Returns what differs from the expectation.
    mutating func update(_ entries: [HostedDevice], _ devices: [DeviceProxy]) -> [String] {
      guard devices.map(\.id) == entries.map(\.id) else {
        return ["devices \(devices.map(\.id)), expected \(entries.map(\.id))"]
      }
      var faults: [String] = []
      var next: [DeviceID: Known] = [:]
      for (entry, device) in zip(entries, devices) {
        var known = Known(object: device, entry: entry)
        if let old = self.known[entry.id] {
          let isSame = old.object === device
          if isSame != (old.entry.role == entry.role) { faults.append("\(entry.id): its object") }
          if isSame {
            known = old
            known.entry = entry
          }
        }
        let isUnchanged = self.known[entry.id]?.entry == entry
        if Self.isServed(entry), !isUnchanged { known.generation += 1 }
        next[entry.id] = known
      }
      known = next
      return faults
    }
  }

  private static let ids: [DeviceID] = ["a", "b", "c", "d", "e", "f"]

  private static func randomEntry(_ id: DeviceID, _ random: inout SeededNumbers) -> HostedDevice {
    let plugins = ["A", "A", "A", "B", "B", "Screens", "Missing"]
    return HostedDevice(
      id: id, role: Int.random(in: 0..<5, using: &random) == 0 ? .screen : .lights,
      plugin: plugins.randomElement(using: &random) ?? "A",
      options: ["port": .integer(Int.random(in: 0..<2, using: &random))],
      process: Int.random(in: 0..<5, using: &random) == 0 ? "apart" : nil)
  }

  private static func next(after entries: [HostedDevice], _ random: inout SeededNumbers)
    -> [HostedDevice]
  {
    var next: [HostedDevice] = []
    for id in ids {
      let old = entries.first { $0.id == id }
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6: if let old { next.append(old) }
      case 6: break
      default: next.append(randomEntry(id, &random))
      }
    }
    if Int.random(in: 0..<4, using: &random) == 0 { next.shuffle(using: &random) }
    return next
  }

  @Test(
    "After each of 100 random configurations devices, processes and states are as expected",
    arguments: 1...4)
  func random(seed: Int) async throws {
    var random = SeededNumbers(seed)
    var entries = Self.next(after: [], &random)
    let bench = try SwapBench(entries)
    var model = Model()
    try await bench.run {
      #expect(model.update(entries, bench.devices) == [])
      for round in 0..<100 {
        try await check(entries, &model, bench, "seed \(seed), round \(round)")
        await dim(&model, &random)
        entries = Self.next(after: entries, &random)
        await bench.apply(entries)
        let faults = model.update(entries, bench.devices)
        #expect(faults == [], "seed \(seed), round \(round)")
      }
    }
    for id in Self.ids {
      for plugin in SwapBench.roles.keys { #expect(!bench.scripts[plugin, id].isOpen) }
    }
  }

  /// Gives some of the lights a new brightness.
  private func dim(_ model: inout Model, _ random: inout SeededNumbers) async {
    for id in model.known.keys.sorted() {
      guard let known = model.known[id], known.entry.role == .lights,
        Model.isServed(known.entry), Bool.random(using: &random)
      else { continue }
      let level = Int.random(in: 1...100, using: &random)
      let end = await outcome(of: LightsCommand.dim(level), on: known.object)
      #expect(end.success == .observed, "\(id): \(end)")
      model.known[id]?.brightness = level
    }
  }

  private func check(
    _ entries: [HostedDevice], _ model: inout Model, _ bench: SwapBench, _ place: String
  ) async throws {
    #expect(
      bench.launcher.running.sorted() == Model.processes(of: entries), "\(place)")
    let statuses = await bench.host.statuses()
    for entry in entries {
      let known = try #require(model.known[entry.id])
      let isServed = Model.isServed(entry)
      let snapshot = await known.object.snapshot()
      #expect(snapshot.availability.isAvailable == isServed, "\(place): \(entry), \(snapshot)")
      #expect(snapshot.generation == known.generation, "\(place): \(entry)")
      for plugin in SwapBench.roles.keys {
        let isOpen = bench.scripts[plugin, entry.id].isOpen
        #expect(isOpen == (isServed && plugin == entry.plugin), "\(place): \(entry) in \(plugin)")
      }
      let status = statuses.first { $0.devices.contains(entry.id) }
      if isServed {
        #expect(status?.plugin == entry.plugin && status?.condition == .running, "\(place)")
        #expect(status?.process == entry.process, "\(place)")
      }
      guard isServed, let brightness = known.brightness else { continue }
      let isRestored = await eventually {
        await known.object.snapshot().state.brightness == brightness
      }
      #expect(isRestored, "\(place): \(entry), expected \(brightness)")
    }
  }
}

extension Availability {
  fileprivate var isAvailable: Bool { if case .available = self { true } else { false } }
}
