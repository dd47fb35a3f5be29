import Foundation
import JSON
import Platform
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@testable import ALSAAmplifier

/// Programs that play through the ALSA PCM `theater`. They are processes that know libasound alone.
@Suite("The ALSA PCM theater", .serialized, .realTime, .timeLimit(.minutes(5)))
struct ProgramTests {
  /// The folder of the PCM, its configuration and the cable files.
  private static let folder: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder()
    setenv("XDG_RUNTIME_DIR", folder.path, 1)
    let make = try ChildProcess(
      ProgramStart(
        "/usr/bin/make",
        [
          "-s", "-C", Program.project.appending(path: "Sources/TheaterPCM").path,
          "OUT=\(folder.path)",
        ],
        environment: ["PATH": "/usr/bin:/bin", "TMPDIR": folder.path]))
    guard make.wait(killingAfter: 240) == .exited(0) else { throw CocoaError(.executableLoad) }
    let lines = "</usr/share/alsa/alsa.conf>\n<\(folder.path(of: "theater.conf"))>\n"
    try folder.write("asound.conf", Array(lines.utf8))
    try folder.write("theater/inputs/.keep", [])
    return folder
  }

  /// Plays numbered frames at `pcm`; returns how the program ended.
  private func play(_ pcm: String, frames: Int, _ words: String...) async throws -> Program.Outcome
  {
    let script = Program.project.appending(path: "Tests/Fixtures/alsa_player.py").path
    return try await play(with: ["python3", "-B", script, pcm, String(frames)] + words)
  }

  /// Runs a program that plays; returns how it ended.
  private func play(with words: [String]) async throws -> Program.Outcome {
    let folder = try Self.folder.get()
    return try await Program.run(
      URL(fileURLWithPath: "/usr/bin/env"), words,
      environment: [
        "PATH": "/usr/bin:/bin", "ALSA_CONFIG_PATH": folder.path(of: "asound.conf"),
        "XDG_RUNTIME_DIR": folder.path,
      ], limit: 60)
  }

  private func seconds(_ outcome: Program.Outcome) throws -> Double {
    try #require(outcome.status == 0, "\(outcome.errors)")
    return try #require(try JSON(parsing: outcome.output)["seconds"]?.number, "\(outcome.output)")
  }

  /// An amplifier at full volume with an input for programs, which plays into `card`.
  private func openAmplifier(_ card: VirtualCard, input: String) async throws -> Controller {
    try #require(SoundConfiguration.isReady)
    _ = try Self.folder.get()
    let controller = Controller()
    try await controller.open([
      "device": .string(card.pcm("format S16_LE")), "startupVolume": 100,
      "inputs": [.string(input)],
    ])
    try await controller.perform("on")
    try await controller.perform(["volume": 100])
    return controller
  }

  /// The numbered frames in what was heard, without the silence between them.
  private func numbers(_ bytes: [UInt8]) -> [Int] {
    stride(from: 0, to: bytes.count - 3, by: 4).map { at in
      (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }.filter { $0 != 0 }
  }

  @Test("F4 · a program is heard sample by sample on its input, and so is the next one")
  func heard() async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card, input: "games")
    try await controller.perform(["input": "games"])
    for _ in 1...2 { _ = try seconds(try await play("theater:games", frames: 11_025)) }
    try await controller.perform("off")
    await controller.wait { $0.attribute("sink") == "closed" }
    let once = Array(1..<11_025)
    #expect(numbers(try card.heard) == once + once)
    await controller.end()
    let refused = try await play("theater:games", frames: 10)
    #expect(refused.errors.contains("start the controller"), "\(refused.errors)")
  }

  @Test("F4 · a second amplifier with an input of the same name is refused until the first ends")
  func sameInput() async throws {
    let card = try VirtualCard()
    let first = try await openAmplifier(card, input: "wanted")
    try await first.perform(["input": "wanted"])
    let second = Controller()
    await #expect {
      try await second.open(["device": .string(card.pcm()), "inputs": ["wanted"]])
    } throws: { error in
      guard let error = error as? RPCError else { return false }
      return error.message == "another amplifier has the input \"wanted\" for programs"
        && error.data?["kind"] == "notNow"
    }
    await second.end()
    _ = try seconds(try await play("theater:wanted", frames: 11_025))
    try await first.perform("off")
    await first.wait { $0.attribute("sink") == "closed" }
    #expect(numbers(try card.heard) == Array(1..<11_025))
    await first.end()
    let third = try await openAmplifier(card, input: "wanted")
    await third.end()
  }

  @Test("F4 · a name that `inputs` lists twice is one input")
  func listedTwice() async throws {
    try #require(SoundConfiguration.isReady)
    _ = try Self.folder.get()
    let card = try VirtualCard()
    let controller = Controller()
    try await controller.open(["device": .string(card.pcm()), "inputs": ["double", "double"]])
    await controller.end()
  }

  @Test("F4 E15 · a program plays on in real time while another input is heard")
  func unheard() async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card, input: "music")
    try await controller.perform(["input": "dvd"])
    #expect(try seconds(try await play("theater:music", frames: 22_050)) > 0.45)
    #expect(numbers((try? card.heard) ?? []).isEmpty)
    await controller.end()
  }

  @Test(
    "F4 E15 · of two programs on one input the later one is heard, and the earlier one plays on")
  func twoPrograms() async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card, input: "shared")
    try await controller.perform(["input": "shared"])
    async let earlier = play("theater:shared", frames: 66_150)
    #expect(await card.waitForEvent("sound"))
    // Long enough for the earlier one to come back, if it tried.
    let later = try await play("theater:shared", frames: 33_075)
    _ = try seconds(later)
    _ = try seconds(try await earlier)
    try await controller.perform("off")
    await controller.wait { $0.attribute("sink") == "closed" }
    #expect(numbers(try card.heard).suffix(33_074).elementsEqual(1..<33_075))
    await controller.end()
  }

  @Test(
    "F4 · formats that a cable does not carry are converted",
    arguments: ["U8", "S24_3LE", "S16_BE"])
  func conversion(format: String) async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card, input: "converted")
    try await controller.perform(["input": "converted"])
    let folder = try Self.folder.get()
    // Bytes of one value are a steady level, which is not silence in any of the formats.
    let file = try folder.write("steady.raw", [UInt8](repeating: 0x33, count: 48_000))
    let outcome = try await play(
      with: [
        "aplay", "-q", "-D", "theater:converted", "-t", "raw", "-c", "2", "-r", "44100", "-f",
        format, file,
      ])
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(await card.waitForEvent("sound"))
    #expect(!numbers(try card.heard).isEmpty)
    await controller.end()
  }

  /// A cable file that names an amplifier of the test.
  private func cable(_ input: String, _ path: String, _ token: String) throws {
    try Self.folder.get().write("theater/inputs/\(input)", Array("\(path)\n\(token)\n".utf8))
  }

  private static let token = String(repeating: "0123456789abcdef", count: 4)

  /// The first frame that reaches a cable, and its format.
  private func firstFrame(
    _ sink: CableSink
  ) async -> (format: CableFormat?, samples: [Int16]) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
    defer { buffer.deallocate() }
    var format: CableFormat?
    while true {
      switch sink.tap.read(into: buffer) {
      case .format(let new): format = new
      case .frames(let count) where count > 0:
        let channels = format?.channels ?? 0
        return (
          format,
          (0..<channels).map { buffer.loadUnaligned(fromByteOffset: 2 * $0, as: Int16.self) }
        )
      case .flush: sink.tap.confirmFlush(unheard: 0)
      case .end, .frames, .empty: try? await Task.sleep(for: .milliseconds(1))
      }
    }
  }

  @Test(
    "F4 · a program sets the speakers of its channels, which reach the cable in its order",
    arguments: [
      (nil, [1, 2, 5, 6, 3, 4], 0x3F), ("FL FR FC LFE RL RR", [1, 2, 3, 4, 5, 6], 0x3F),
      ("FC FL FR SL SR LFE", [2, 3, 1, 6, 4, 5], 0x60F),
    ] as [(String?, [Int16], UInt32)])
  func speakers(map: String?, order: [Int16], layout: UInt32) async throws {
    let folder = try TemporaryFolder()
    let sink = try CableSink(path: folder.path(of: "s"), token: Self.token, heard: true)
    try cable("speakers", folder.path(of: "s"), Self.token)
    let script = Program.project.appending(path: "Tests/Fixtures/alsa_channels.py").path
    async let played = play(
      with: ["python3", "-B", script, "theater:speakers", "6"] + (map.map { [$0] } ?? []))
    let (format, samples) = await firstFrame(sink)
    #expect(format?.layout == layout)
    #expect(samples == order.map { $0 * 1000 })
    sink.close()
    let outcome = try await played
    try #require(outcome.status == 0, "\(outcome.errors)")
    let said = try JSON(parsing: outcome.output)
    #expect(said["used"]?.string == map ?? "FL FR RL RR FC LFE")
    #expect(said["maps"]?.array?.contains("FL FR RL RR FC LFE SL SR") == true)
  }

  @Test("F4 · a program cannot set speakers that no amplifier has, or one twice")
  func wrongSpeakers() async throws {
    let folder = try TemporaryFolder()
    let sink = try CableSink(path: folder.path(of: "s"), token: Self.token, heard: true)
    defer { sink.close() }
    let script = Program.project.appending(path: "Tests/Fixtures/alsa_channels.py").path
    for map in ["FL FL", "FL TFC", "FL NA", "FL FR FC"] {
      try sink.expect(token: Self.token)
      try cable("wrong", folder.path(of: "s"), Self.token)
      let outcome = try await play(with: ["python3", "-B", script, "theater:wrong", "2", map])
      #expect(outcome.errors.contains("set_chmap: "), "\(map): \(outcome.errors)")
    }
  }

  @Test(
    "F4 · speaker-test and mpv are heard through the amplifier",
    arguments: [
      [
        "timeout", "--preserve-status", "--signal=INT", "2", "speaker-test", "-D", "theater:tools",
        "-r", "44100", "-c", "2", "-t", "sine", "-f", "440", "-s", "1",
      ],
      [
        "mpv", "--no-config", "--no-terminal", "--audio-device=alsa/theater:tools", "--length=1",
        "av://lavfi:sine=440:r=44100",
      ],
    ])
  func tools(words: [String]) async throws {
    let card = try VirtualCard()
    let controller = try await openAmplifier(card, input: "tools")
    try await controller.perform(["input": "tools"])
    let outcome = try await play(with: words)
    #expect(outcome.status == 0, "\(outcome.errors)")
    try await controller.perform("off")
    await controller.wait { $0.attribute("sink") == "closed" }
    // The tone changes its sign 440 times in half a second.
    let heard = try card.heard
    let left = stride(from: 0, to: heard.count - 3, by: 4).map { (at: Int) -> Int16 in
      Int16(bitPattern: UInt16(heard[at]) | UInt16(heard[at + 1]) << 8)
    }
    // Half a second, without the fade at its start.
    let samples = left.drop { $0 == 0 }.dropFirst(4_410).prefix(22_050)
    #expect(samples.count == 22_050)
    let changes = zip(samples, samples.dropFirst()).count { ($0 < 0) != ($1 < 0) }
    #expect(abs(Double(changes) - 440) < 10)
    await controller.end()
  }

  /// The JSON and the shell lines between the fences of docs/theater-pcm.md.
  private func example(_ language: String) throws -> [String] {
    let page = try String(
      contentsOf: Program.project.appending(path: "docs/theater-pcm.md"), encoding: .utf8)
    return page.components(separatedBy: "```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  @Test("F4 · the entry of the manual makes inputs for its programs, which are heard")
  func manual() async throws {
    let entry = try JSON(parsing: "{\(try #require(example("json").first))}")
    var options = try #require(entry["amp"]?["options"]?.object)
    #expect(entry["amp"]?["plugin"] == "ALSAAmplifier" && entry["amp"]?["role"] == "amplifier")
    let card = try VirtualCard()
    let controller = Controller()
    _ = try Self.folder.get()
    options["device"] = .string(card.pcm("format S16_LE"))
    options["startupVolume"] = 100
    try await controller.open(.object(options))
    try await controller.perform("on")
    let commands = try #require(example("sh").last).split(separator: "\n")
    let aplays = commands.map { $0.split(separator: " ") }.filter { $0.first == "aplay" }
    #expect(aplays.count == 2)
    let folder = try Self.folder.get()
    let file = try folder.write("manual.raw", [UInt8](repeating: 0x33, count: 88_200))
    for words in aplays {
      let pcm = String(words[2])
      let input = pcm == "theater" ? "programs" : pcm.replacing("theater:", with: "")
      try await controller.perform(["input": .string(input)])
      let count = card.count("sound")
      let outcome = try await play(
        with: ["aplay", "-q", "-D", pcm, "-t", "raw", "-f", "cd", file])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(await card.waitForEvent("sound", times: count + 1))
    }
    await controller.end()
  }

  @Test("F4 · a program that pauses loses no frame", arguments: [8_192, 20_000])
  func pause(at frame: Int) async throws {
    let folder = try TemporaryFolder()
    let sink = try CablePeer("sink", folder.path(of: "s"), Self.token)
    _ = try sink.line()
    try cable("paused", folder.path(of: "s"), Self.token)
    _ = try seconds(try await play("theater:paused", frames: 30_000, "pause", String(frame)))
    let said = try sink.line()
    #expect(said["frames"] == 30_000)
    #expect(said["whole"] == true)
  }

  @Test("F4 · after a stop only the new sound is heard")
  func drop() async throws {
    let folder = try TemporaryFolder()
    let sink = try CablePeer("sink", folder.path(of: "s"), Self.token)
    _ = try sink.line()
    try cable("stopped", folder.path(of: "s"), Self.token)
    _ = try seconds(try await play("theater:stopped", frames: 30_000, "drop", "20000"))
    let said = try sink.line()
    #expect(said["last"] == 29_999)
    #expect(said["rising"] == true)
  }

  @Test("F4 F1 · a program plays to its end when the amplifier dies or sends nonsense")
  func amplifierDies() async throws {
    let folder = try TemporaryFolder()
    let sink = try CableSink(path: folder.path(of: "s"), token: Self.token, heard: true)
    try cable("dying", folder.path(of: "s"), Self.token)
    async let outcome = play("theater:dying", frames: 22_050)
    #expect(await sink.events.first { $0 == .plugged } != nil)
    sink.close()
    #expect(try seconds(try await outcome) > 0.3)

    let noise = try CablePeer("noise", folder.path(of: "n"), Self.token)
    _ = try noise.line()
    try cable("noisy", folder.path(of: "n"), Self.token)
    #expect(try seconds(try await play("theater:noisy", frames: 22_050)) > 0.3)
  }

  @Test("F4 · without an amplifier a program is refused, with the reason and a remedy")
  func noAmplifier() async throws {
    for (name, text) in [("nobody", nil), ("empty", "")] {
      if let text { try Self.folder.get().write("theater/inputs/\(name)", Array(text.utf8)) }
      let outcome = try await play("theater:\(name)", frames: 10)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("no amplifier listens at"), "\(outcome.errors)")
      #expect(outcome.errors.contains("name this input in the option inputs"))
    }
  }

  @Test("F4 · a file that is no cable file is named as the reason, not a missing amplifier")
  func malformedFile() async throws {
    try Self.folder.get().write("theater/inputs/broken", Array("no path".utf8))
    let outcome = try await play("theater:broken", frames: 10)
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("broken is not a cable file"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("no amplifier listens"))
  }
}
