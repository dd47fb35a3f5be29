import Foundation
import TestSupport
import Testing

/// What the compiler says to a program that uses the library.
@Suite struct WrongCallTests {
  /// The marker of the lines that must not compile.
  private static let wrong = "// wrong"

  private static let program = """
    import Devices
    import HomeTheater
    import InMemoryDevices

    func calls(_ session: TheaterSession, _ amp: any Amplifier, _ tuner: any Tuner) async throws {
      try await amp.setVolume(40)
      try await session.amplifier("kitchen-amp").mute()
      try await tuner.tune(frequency: 98.5)
      try await session.run("watch-film", with: ["film": "Night Ferry"])
      try await amp.setVolume("loud") // wrong
      try await amp.setVolume(40.5) // wrong
      try await amp.dim(to: 10) // wrong
      try await amp.play("night-ferry") // wrong
      try await tuner.tune(frequency: "98.5 FM") // wrong
      try await tuner.tune(fm: 98.5, am: 810) // wrong
      try await tuner.setVolume(10) // wrong
      try await tuner.seek(to: 10) // wrong
      try await session.lights.dim("low") // wrong
      try await session.lights.pop() // wrong
      try await session.screen.turnOn() // wrong
      try await session.projector.dim(to: 10) // wrong
      try await session.popper.play() // wrong
      try await session.dvd.tune(station: "Lantern Radio") // wrong
      try await session.cd.setSurroundAudio() // wrong
      try await session.cd.seek(to: "1:20") // wrong
      try await session.run("watch-film", with: "Night Ferry") // wrong
      try await session.begin(activity: 3) // wrong
      try await session.changeVolume(.louder) // wrong
      let lamp: any TheaterLights = amp // wrong
      _ = TheaterSession() // wrong
      _ = session.theater // wrong
    }

    func make() -> [HomeTheaterFacade] {
      let tuner = InMemoryTuner("tuner")
      let cd = InMemoryCDPlayer("cd", songs: [])
      return [
        HomeTheaterFacade(
          amp: tuner, // wrong
          tuner: tuner, dvd: InMemoryDVDPlayer("dvd", films: []), cd: cd,
          projector: InMemoryProjector("projector"), lights: InMemoryLights("lights"),
          screen: InMemoryScreen("screen"), popper: InMemoryPopcornPopper("popper"))
      ]
    }
    """

  @Test("E21 F3a · the compiler refuses each wrong call, at its line, and no right one")
  func refused() async throws {
    let folder = try TemporaryFolder()
    let lines = Self.program.split(separator: "\n", omittingEmptySubsequences: false)
    let wrong = Set(lines.indices.filter { lines[$0].hasSuffix(Self.wrong) }.map { $0 + 1 })
    try #require(wrong.count == 23)
    let errors = try await errors(in: Self.program, folder)
    #expect(errors == wrong)

    let right = lines.filter { !$0.hasSuffix(Self.wrong) }.joined(separator: "\n")
    let rest = right.replacingOccurrences(
      of: "    HomeTheaterFacade(\n",
      with: "    HomeTheaterFacade(\n amp: InMemoryAmplifier(\"amp\"),")
    #expect(try await self.errors(in: rest, folder).isEmpty)
  }

  /// The numbers of the lines with an error.
  private func errors(in program: String, _ folder: TemporaryFolder) async throws -> Set<Int> {
    let path = try folder.write("calls.swift", Array(program.utf8))
    let sources = Program.project.appendingPathComponent("Sources")
    let outcome = try await Program.tool(
      "swiftc", "-typecheck", "-swift-version", "6",
      "-I", Program.products.appendingPathComponent("Modules").path,
      "-I", sources.appendingPathComponent("CUTF8Proc").path,
      "-I", sources.appendingPathComponent("CLinux/include").path,
      "-Xcc", "-fmodule-map-file=\(Program.products.path)/CLinux.build/module.modulemap", path)
    let found = outcome.errors.matches(of: #/calls\.swift:(\d+):\d+: error: /#)
    // A compiler that could not read the modules names no line.
    #expect(outcome.status == 0 || !found.isEmpty, "\(outcome.errors)")
    return Set(found.compactMap { Int($0.1) })
  }
}
