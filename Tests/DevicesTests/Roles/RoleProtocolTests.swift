import Devices
import JSON
import TestSupport
import Testing

@Suite("F3 · one Swift protocol per role")
struct RoleProtocolTests {
  private let journal = CommandJournal()

  private func device(_ role: Role) -> any Device { FakeDevice("it", role, journal: journal) }

  /// The typed call of every command: what it sends, in the order of the calls.
  @Test("E21 F3a · every command of every role has a typed call, which sends it")
  func calls() async throws {
    try await checkCalls(AmplifierConnection(device(.amplifier))) { amp in
      try await amp.turnOn()
      try await amp.turnOff()
      try await amp.selectInput("dvd")
      try await amp.setStereoSound()
      try await amp.setSurroundSound()
      try await amp.setVolume(40)
      try await amp.mute()
      try await amp.unmute()
    }
    try await checkCalls(TunerConnection(device(.tuner))) { tuner in
      try await tuner.turnOn()
      try await tuner.turnOff()
      try await tuner.receiveAM()
      try await tuner.tune(am: 810)
      try await tuner.receiveFM()
      try await tuner.tune(fm: 98.5)
      try await tuner.tune(frequency: 101.25)
      try await tuner.tune(station: "Lantern Radio")
    }
    try await checkCalls(DVDPlayerConnection(device(.dvdPlayer))) { dvd in
      try await Self.play(dvd)
      try await dvd.setSurroundAudio()
      try await dvd.setTwoChannelAudio()
    }
    try await checkCalls(CDPlayerConnection(device(.cdPlayer))) { cd in try await Self.play(cd) }
    try await checkCalls(ProjectorConnection(device(.projector))) { projector in
      try await projector.turnOn()
      try await projector.turnOff()
      try await projector.setTVMode()
      try await projector.setWideScreenMode()
    }
    try await checkCalls(TheaterLightsConnection(device(.lights))) { lights in
      try await lights.turnOn()
      try await lights.turnOff()
      try await lights.dim(to: 10)
    }
    try await checkCalls(ScreenConnection(device(.screen))) { screen in
      try await screen.raise()
      try await screen.lower()
      try await screen.stop()
    }
    try await checkCalls(PopcornPopperConnection(device(.popcornPopper))) { popper in
      try await popper.turnOn()
      try await popper.turnOff()
      try await popper.pop()
    }
    let arguments = journal.lines.filter { $0.contains("{") }.map { $0.dropFirst(3) }
    #expect(
      arguments == [
        #"{"input":"dvd"}"#, #"{"volume":40}"#, #"{"am":810}"#, #"{"fm":98.5}"#,
        #"{"frequency":101.25}"#, #"{"station":"Lantern Radio"}"#,
        #"{"play":{"item":"ferry","position":12}}"#, #"{"seek":60}"#,
        #"{"play":{"item":"ferry","position":12}}"#, #"{"seek":60}"#, #"{"dim":10}"#,
      ])
  }

  private static func play(
    _ player: some Switchable & PlaybackControl & SeekControl & TrayControl
  ) async throws {
    try await player.turnOn()
    try await player.turnOff()
    try await player.play("ferry", from: 12)
    try await player.play()
    try await player.pause()
    try await player.stop()
    try await player.eject()
    try await player.seek(to: 60)
    try await player.next()
    try await player.previous()
  }

  /// Makes the calls, and compares the commands that they send with those of the device's role.
  private func checkCalls<Typed: Device>(
    _ device: Typed, _ calls: (Typed) async throws -> Void
  ) async throws {
    let before = journal.lines.count
    try await calls(device)
    let sent = try journal.lines.dropFirst(before).map { line in
      let command = try JSON(parsing: String(line.dropFirst(3)))
      return command.string ?? command.object?.keys.first ?? ""
    }
    #expect(Set(sent) == Set(device.role.commands.map(\.name)))
  }

  @Test("F3 · a connection has the id and role of its device, but its own identity")
  func connections() {
    let device = device(.lights)
    let lights = TheaterLightsConnection(device)
    #expect(lights.id == "it")
    #expect(lights.role == .lights)
    #expect((lights as any Device) !== device)
    #expect(lights.device === device)
  }

  @Test("E21 · a typed call out of range never reaches the device")
  func ranges() async throws {
    let amp = AmplifierConnection(device(.amplifier))
    let error = await #expect(throws: DeviceError.self) { try await amp.setVolume(101) }
    #expect(error?.code == .invalid)
    #expect(error?.device == "it")
    #expect(journal.lines.isEmpty)
  }

  @Test("a device has the facets of its type, and a connection those of its device")
  func facets() async throws {
    final class Lamp: TheaterLights {
      let id: DeviceID = "lamp"
      func perform(_ command: Command, until: Completion) async throws(DeviceError)
        -> Devices.Confirmation
      { .accepted }
      func snapshot() async -> DeviceSnapshot { DeviceSnapshot() }
      func snapshots() async -> AsyncStream<DeviceSnapshot> { AsyncStream { $0.finish() } }
    }
    let lamp = Lamp()
    #expect(lamp.role == .lights)
    try await lamp.dim(to: 10)
    let connection = TheaterLightsConnection(lamp)
    for device in [lamp, connection] as [any Device] {
      #expect(device.facet((any MediaSource).self) == nil)
      #expect(device.facet((any SoundSource).self) == nil)
      #expect(device.facet((any SoundSink).self) == nil)
      #expect(device.facet((any LevelMeter).self) == nil)
      #expect(device.facet((any TheaterLights).self) === device)
    }
    let amp = FakeDevice("amp", .amplifier)
    #expect(AmplifierConnection(amp).facet((any SoundSink).self) as? FakeDevice === amp)
  }
}
