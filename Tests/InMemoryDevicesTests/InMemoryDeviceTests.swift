import Devices
import InMemoryDevices
import JSON
import TestSupport
import Testing

@Suite("E18 · devices in memory")
struct InMemoryDeviceTests {
  private static let clock = ManualClock()
  private static let items = [
    CatalogueItem(id: "one", title: "One", duration: 60),
    CatalogueItem(id: "two", title: "Two", duration: 90),
  ]

  private static func devices() -> [any Device] {
    [
      InMemoryAmplifier("amp", clock: clock),
      InMemoryTuner("tuner", stations: items, clock: clock),
      InMemoryDVDPlayer("dvd", films: items, clock: clock),
      InMemoryCDPlayer("cd", songs: items, clock: clock),
      InMemoryProjector("projector", clock: clock), InMemoryLights("lights", clock: clock),
      InMemoryScreen("screen", clock: clock), InMemoryPopcornPopper("popper", clock: clock),
    ]
  }

  /// Makes the command of a row of the command table, with the lowest number or an existing item.
  private static func command(_ spec: CommandSpec, _ role: Role) throws -> Command {
    let argument: JSON? =
      switch spec.argument?.shape {
      case .integer(let range, _)?: .integer(range.lowerBound)
      case .number(let range, _)?: .number(range.lowerBound)
      case .text?: "dvd"
      case .fields?: ["item": "two"]
      case nil: nil
      }
    return try Command(spec.name, argument: argument, role: role)
  }

  @Test(
    "E15 E18 N-E5 · every command of every role has its effect at once, with values of its role")
  func commands() async throws {
    for device in Self.devices() {
      #expect(await device.snapshot().availability == .available)
      for spec in device.role.commands {
        let command = try Self.command(spec, device.role)
        _ = try await device.perform(command, until: .settled)
        let state = await device.snapshot().state
        #expect(
          spec.settled.isMet(by: state, argument: command.argument), "\(device.id) \(command)")
        #expect(Set(state.readings.keys) == Set(device.role.stateKeys), "\(device.id)")
        for (key, reading) in state.readings {
          #expect(key.shape.admits(reading.value), "\(device.id) \(command): \(key)")
        }
      }
    }
  }

  @Test("E18 · there is one device in memory for each role")
  func roles() { #expect(Set(Self.devices().map(\.role)) == Set(Role.allCases)) }

  @Test(
    "E9 E18 · players and tuners list their items, but none of a folder; others have no catalogue")
  func catalogues() async throws {
    for device in Self.devices() {
      let media = device.facet((any MediaSource).self)
      #expect((media != nil) == (device.role.category != nil), "\(device.id)")
      guard let media else { continue }
      #expect(try await media.listCatalogue(folder: nil).items == Self.items)
      #expect(try await media.listCatalogue(folder: "/music").items.isEmpty)
    }
  }

  @Test("E14 E18 · a tuner that leaves a station for a frequency no longer plays the station")
  func frequencyAfterStation() async throws {
    let tuner = InMemoryTuner("tuner", stations: Self.items, clock: ManualClock())
    _ = try await tuner.perform(Command("on", role: .tuner), until: .settled)
    try await tuner.tune(station: "one")
    #expect(await tuner.snapshot().state.playback?.item == "one")
    try await tuner.tune(fm: 98.5)
    let state = await tuner.snapshot().state
    #expect(state.playback?.item == nil && state.playback?.status == .playing)
  }

  @Test("E18 · a player pauses where it is, resumes there, and skips to its next item")
  func playback() async throws {
    let clock = ManualClock()
    let cd = InMemoryCDPlayer("cd", songs: Self.items, clock: clock)
    try await cd.play("one")
    clock.advance(by: .seconds(10))
    try await cd.pause()
    #expect(await cd.snapshot().state.playback?.position == 10)
    clock.advance(by: .seconds(10))
    try await cd.play()
    #expect(
      await cd.snapshot().state.playback
        == Playback(.playing, item: "one", position: 10, duration: 60))
    try await cd.next()
    #expect(await cd.snapshot().state.playback?.item == "two")
    try await cd.next()
    #expect(await cd.snapshot().state.playback?.item == "two", "it is the last one")
    try await cd.eject()
    #expect(await cd.snapshot().state.playback?.status == .stopped)
  }

  @Test("E18 · a player refuses an item that it does not have, and plays nothing without items")
  func missingItem() async throws {
    let dvd = InMemoryDVDPlayer("dvd", films: Self.items, clock: Self.clock)
    let unknown = await #expect(throws: DeviceError.self) { try await dvd.play("three") }
    #expect(unknown?.code == .invalid)
    #expect(unknown?.device == "dvd")
    let empty = InMemoryDVDPlayer("dvd", films: [], clock: Self.clock)
    let none = await #expect(throws: DeviceError.self) { try await empty.play() }
    #expect(none?.code == .notNow)
  }

  @Test("E18 · a player pauses an item that was reported from outside, where it was reported")
  func foreignItem() async throws {
    let dvd = InMemoryDVDPlayer("dvd", films: [], clock: Self.clock)
    dvd.memory.report(.power, "on")
    dvd.memory.report(.playback, Playback(.playing, item: "x", position: 9).json)
    try await dvd.pause()
    #expect(await dvd.snapshot().state.playback == Playback(.paused, item: "x", position: 9))
    #expect(await dvd.snapshot().state.power == .on)
  }

  @Test("E18 · reports from outside reach every reader, and a set failure lasts until its removal")
  func outside() async throws {
    let screen = InMemoryScreen("screen", clock: Self.clock)
    var first = await screen.snapshots().makeAsyncIterator()
    var second = await screen.snapshots().makeAsyncIterator()
    #expect(await first.next()?.state[.position] == "up")
    #expect(await second.next()?.state[.position] == "up")
    screen.memory.report(.position, "stopped")
    #expect(await first.next()?.state[.position] == "stopped")
    #expect(await second.next()?.state[.position] == "stopped")

    screen.memory.fail("down", with: DeviceError(.failed, "it is stuck"))
    let error = await #expect(throws: DeviceError.self) { try await screen.lower() }
    #expect(error == DeviceError(.failed, "it is stuck", device: "screen"))
    screen.memory.fail("down", with: nil)
    try await screen.lower()
    #expect(await screen.snapshot().state[.position] == "down")
  }

  @Test("an amplifier that turns on louder than its limit is turned down, or muted")
  func loudness() async throws {
    for isStuck in [false, true] {
      let amp = InMemoryDevice("amp", state: [.power: "off", .volume: 20], clock: Self.clock) {
        (command: AmplifierCommand, _) throws(DeviceError) in
        switch command {
        case .on: [.power: "on", .volume: 90]
        case .volume(let volume): [.volume: .integer(volume)]
        case .mute: [.muted: true]
        default: [:]
        }
      }
      amp.facet((any LoudnessLimited).self)?.setLoudnessLimit(30)
      if isStuck { amp.fail("volume", with: DeviceError(.refused, "its knob is locked")) }
      let on = try Command("on", argument: nil, role: .amplifier)
      #expect(try await amp.perform(on, until: .settled) == .observed)
      let state = await amp.snapshot().state
      #expect(state.isMuted == (isStuck ? true : nil) && state.volume == (isStuck ? 90 : 30))
      amp.fail("volume", with: nil)
      let loud = try Command("volume", argument: 80, role: .amplifier)
      _ = try await amp.perform(loud, until: .settled)
      #expect(await amp.snapshot().state.volume == 30)
    }
    let lights = InMemoryLights("lights", clock: Self.clock)
    #expect(lights.facet((any LoudnessLimited).self) == nil)
  }

  @Test("E18 · a command of another role is refused")
  func otherRole() async throws {
    let lights = InMemoryLights("lights", clock: Self.clock)
    let command = try Command("down", argument: nil, role: .screen)
    let error = await #expect(throws: DeviceError.self) {
      try await lights.perform(command, until: .accepted)
    }
    #expect(error?.code == .unsupported)
  }
}
