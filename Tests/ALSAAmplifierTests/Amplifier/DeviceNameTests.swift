import Devices
import Foundation
import JSON
import PluginKit
import PluginProtocol
import TestSupport
import Testing

@testable import ALSAAmplifier

/// The names in the options that reach libasound, whose language can start programs.
@Suite(.serialized, .timeLimit(.minutes(2))) struct DeviceNameTests {
  /// Names that libasound would open: some start a program or write a file.
  static let names = [
    "file:'|touch PROOF; cat >/dev/null',raw", "tee:null,'|touch PROOF; cat >/dev/null',raw",
    "file:PROOF,raw", "plug:\"file:'|touch PROOF; cat >/dev/null',raw\"", "default:CARD=x",
    "plug:{SLAVE=null}", "hw:0'|x'", "null\n", "@args", "",
  ]

  @Test("a name that starts a program or writes a file opens no amplifier", arguments: names)
  func refused(_ name: String) async throws {
    try #require(SoundConfiguration.isReady)
    let folder = try TemporaryFolder()
    let proof = folder.path(of: "proof")
    let name = name.replacing("PROOF", with: proof)
    for options: JSONObject in [
      ["device": .string(name)], ["mixer": .string("\(name)/Master")],
      ["device": "null", "mixer": .string("\(name)/")],
    ] {
      let controller = Controller()
      await #expect {
        try await controller.open(.object(options))
        try await controller.perform("on")
      } throws: { error in
        guard let error = error as? RPCError else { return false }
        return error.data?["kind"] == "invalid"
          && error.message.hasPrefix(
            "the option \"\(options["mixer"] == nil ? "device" : "mixer")\" is")
      }
      await controller.end()
    }
    #expect(!FileManager.default.fileExists(atPath: proof))
  }

  @Test(
    "the option \"mixer\" is a control, or a card and a control, and nothing else",
    arguments: [
      "file:'|x'/Master", "tee:x/Master", "hw:/Master", "/Master", "hw:0/", " Master", "Master ",
      "Master\n", "Ma\"ster", "a'b", "{x}", "@x", "hw:0/Mas\0ter", "é", "hw:0", "default:0/Master",
      "plug:{x}/PCM", "hw:0/ PCM", "a/b:c", String(repeating: "M", count: 65),
      String(repeating: "x", count: 101) + "/Master",
    ])
  func mixers(_ mixer: String) {
    #expect(MixerName(option: mixer, device: .standard) == nil)
    #expect {
      try AmplifierOptions(["mixer": .string(mixer)])
    } throws: { error in
      (error as? DeviceError)?.message.hasPrefix("the option \"mixer\" ") == true
    }
  }

  @Test("the manifest has the same rules as the plugin")
  func manifest() throws {
    let file = Program.project.appending(path: "Plugins/ALSAAmplifier/manifest.json")
    let manifest = try JSON(parsing: [UInt8](try Data(contentsOf: file)))
    let options = manifest["roles"]?["amplifier"]?["options"]?["properties"]
    #expect(options?["device"]?["pattern"]?.string == "^\(SoundDeviceName.pattern)$")
    #expect(options?["device"]?["maxLength"]?.integer == SoundDeviceName.longest)
    #expect(options?["mixer"]?["pattern"]?.string == MixerName.pattern)
  }

  @Test("the list of devices has only names that the options accept")
  func listing() throws {
    try #require(SoundConfiguration.isReady)
    let pcms = SoundDevices.listing["pcms"]?.array ?? []
    #expect(!pcms.isEmpty)
    for pcm in pcms { _ = try AmplifierOptions(["device": try #require(pcm["name"])]) }
    for mixer in SoundDevices.listing["mixers"]?.array ?? [] {
      _ = try AmplifierOptions(["mixer": try #require(mixer["name"])])
    }
  }
}
