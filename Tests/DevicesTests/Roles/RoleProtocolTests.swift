import Devices
import JSON
import TestSupport
import Testing

@Suite("F3 · one Swift protocol per role")
struct RoleProtocolTests {
  private let journal = CommandJournal()

  private func device(_ role: Role) -> any Device { FakeDevice("it", role, journal: journal) }

  @Test("E15 F3a · each typed call sends its command, and returns after its effect")
  func calls() async throws {
    let amp = AmplifierConnection(device(.amplifier))
    try await amp.turnOn()
    try await amp.selectInput("dvd")
    try await amp.setSurroundSound()
    try await amp.setStereoSound()
    try await amp.setVolume(40)
    try await amp.mute()
    try await amp.unmute()
    try await amp.turnOff()
    #expect(await amp.snapshot().state.volume == 40)
    let tuner = TunerConnection(device(.tuner))
    try await tuner.turnOn()
    try await tuner.tune(am: 810)
    try await tuner.tune(fm: 98.5)
    try await tuner.tune(station: "Lantern Radio")
    let dvd = DVDPlayerConnection(device(.dvdPlayer))
    try await dvd.turnOn()
    try await dvd.play("ferry", from: 12)
    try await dvd.pause()
    try await dvd.play()
    try await dvd.seek(to: 60)
    try await dvd.next()
    try await dvd.previous()
    try await dvd.setSurroundAudio()
    try await dvd.setTwoChannelAudio()
    try await dvd.stop()
    try await dvd.eject()
    let cd = CDPlayerConnection(device(.cdPlayer))
    try await cd.play("song")
    try await cd.turnOff()
    let projector = ProjectorConnection(device(.projector))
    try await projector.setTVMode()
    try await projector.setWideScreenMode()
    let lights = TheaterLightsConnection(device(.lights))
    try await lights.dim(to: 10)
    let screen = ScreenConnection(device(.screen))
    try await screen.lower()
    try await screen.raise()
    try await screen.stop()
    let popper = PopcornPopperConnection(device(.popcornPopper))
    try await popper.pop()
    #expect(
      journal.lines.map { $0.dropFirst(3) } == [
        #""on""#, #"{"input":"dvd"}"#, #""surround""#, #""stereo""#, #"{"volume":40}"#,
        #""mute""#, #""unmute""#, #""off""#,
        #""on""#, #"{"am":810}"#, #"{"fm":98.5}"#, #"{"station":"Lantern Radio"}"#,
        #""on""#, #"{"play":{"item":"ferry","position":12}}"#, #""pause""#, #""play""#,
        #"{"seek":60}"#, #""next""#, #""previous""#, #""surroundAudio""#, #""twoChannelAudio""#,
        #""stop""#, #""eject""#,
        #"{"play":{"item":"song"}}"#, #""off""#,
        #""tvMode""#, #""wideScreenMode""#, #"{"dim":10}"#,
        #""down""#, #""up""#, #""stop""#, #""pop""#,
      ])
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

  @Test("E15 F3a · a typed call out of range never reaches the device")
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
