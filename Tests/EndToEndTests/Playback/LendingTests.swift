import Foundation
import JSON
import TestSupport
import Testing

@Suite(.serialized, .realTime) struct LendingTests {
  @Test(
    "F1 F4 · a player in Python, or mpv, plays on the amplifier's PCM while its input is selected",
    arguments: ["PythonAlsaPlayer", "MpvPlayer"])
  func lentPCM(plugin: String) async throws {
    let card = try await ExclusiveCard()
    let arrange = { (configuration: inout Configuration, folder: URL) in
      try Self.stagePlayer(in: folder)
      var options: JSONObject = [:]
      if plugin == "MpvPlayer" {
        let music = folder.appendingPathComponent("music").path
        options = ["folders": [.string(music)], "drive": "", "lending": true]
      }
      configuration.set(
        "cd", at: ["devices"],
        ["role": "cdPlayer", "plugin": .string(plugin), "options": .object(options)])
      configuration.set("options", at: ["devices", "amp"], ["device": "card"])
    }
    try await withLiveController(alsa: card.configuration, arrange: arrange) { room in
      if plugin == "MpvPlayer" {
        try await room.makeTone("tone.flac", seconds: 120, left: 440, right: 440)
      }
      try await room.registerOwner()
      try await room.expect("device", "amp", "on")
      try await room.expect("device", "cd", "on")
      try await room.expect("device", "cd", "play")
      #expect(card.count("sound") == 0)

      try await room.expect("device", "amp", "input", "cd")
      #expect(
        await eventually { card.count("sound") >= 1 && card.heard.seconds > 1 },
        "nothing is heard: \(room.log)")
      try await room.expect("device", "amp", "input", "tuner")
      #expect(
        await eventually {
          (try? await room.device("amp"))?["attributes"]?["sink"]?["value"] == "device"
        }, "the amplifier has not taken its PCM back: \(room.log)")
      // mpv begins the sound again where it seeks to the present position.
      let (seconds, starts) = (card.heard.seconds, card.count("sound"))
      let cd = try #require(try await room.device("cd"))
      #expect(cd["state"]?["playback"]?["value"]?["state"] == "playing")
      let heard = card.heard
      #expect(heard.seconds == seconds && card.count("sound") == starts, "it is still heard")
      #expect(abs(heard.frequency(0) - 440) <= 1)
      #expect(abs(heard.frequency(1) - 440) <= 1)
      #expect(abs(heard.medianAmplitude(of: 440, in: 0) / 0.5 - 1) < 0.02)

      try await room.expect("device", "amp", "input", "cd")
      #expect(await eventually { card.count("sound") > starts }, "\(room.log)")
      try await room.expect("device", "amp", "off")
    }
  }

  private static func stagePlayer(in folder: URL) throws {
    let place = folder.appendingPathComponent("plugins/PythonAlsaPlayer")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    for name in ["manifest.json", "player.py"] {
      try FileManager.default.createSymbolicLink(
        at: place.appendingPathComponent(name),
        withDestinationURL: Program.project.appendingPathComponent(
          "Tests/Fixtures/PythonAlsaPlayer/\(name)"))
    }
  }
}

/// The virtual sound card of Tests/Fixtures, for one holder at a time.
private final class ExclusiveCard: Sendable {
  private let temporary: TemporaryFolder
  private var folder: URL { temporary.url }

  init() async throws {
    temporary = try TemporaryFolder()
    let folder = temporary.url
    let fixture = Program.project.appendingPathComponent("Tests/Fixtures/VirtualCard")
    let outcome = try await Program.tool(
      "make", "-s", "-C", fixture.path, "OUT=\(folder.path)")
    guard outcome.status == 0 else { throw LiveController.Missing(what: outcome.errors) }
  }

  /// Text for an ALSA configuration: the PCM `card`.
  var configuration: String {
    """
    pcm_type.virtualcard { lib "\(folder.path)/libvirtualcard.so" }
    pcm.card {
      type virtualcard
      exclusive 1
      rate 44100
      channels 2
      format S16_LE
      file "\(folder.path)/heard.raw"
      log "\(folder.path)/card.log"
    }
    """
  }

  /// The number of events of a kind in the card's log.
  func count(_ event: String) -> Int {
    let log = try? String(contentsOf: folder.appendingPathComponent("card.log"), encoding: .utf8)
    return (log ?? "").split(separator: "\n").count { $0.hasSuffix(" \(event)") }
  }

  /// The recorded sound.
  var heard: Recording {
    let data = try? Data(contentsOf: folder.appendingPathComponent("heard.raw"))
    return Recording(stereo: data ?? Data(), rate: 44100)
  }
}
