import Devices
import Foundation
import JSON
import PluginKit
import TestSupport
import Testing

@testable import MpvPlayer

/// The name of the ALSA PCM that mpv opens.
@Suite("MpvPlayer: names of sound devices") struct AudioDeviceTests {
  @Test(
    "accepts the name of an ALSA device, or none",
    arguments: ["", "default", "hdmi:0", "hdmi:CARD=HDMI,DEV=2", "iec958:CARD=PCH", "my_dac"])
  func accepts(_ name: String) throws {
    #expect(try MpvOptions(["audioDevice": .string(name)]).audioDevice == name)
  }

  @Test(
    "refuses a name with which ALSA writes a file or starts a program, and names the option",
    arguments: [
      "file:speakers,raw", "file:/tmp/x,raw", "file:'|id',raw", "tee:hw,x,raw", "plug:hw",
      "plug:{x}", "default:x", "pulse:SINK", "hw:0 ", "hw:0\n", "@args", "alsa/hw:0", "x,y", "a.b",
      "hw:0'|x", "hw:", ":", " ", String(repeating: "x", count: 101),
    ])
  func refuses(_ name: String) {
    #expect {
      try MpvOptions(["audioDevice": .string(name)])
    } throws: { error in
      guard let error = error as? DeviceError else { return false }
      return error.code == .invalid && error.message.hasPrefix("the option \"audioDevice\" is ")
    }
  }

  @Test("refuses to borrow such a device")
  func lent() async throws {
    let player = try await PlayerBench(.dvdPlayer, ["lending": true])
    let refusal = await player.refusal(ofPCM: "file:/tmp/x,raw")
    #expect(refusal?.hasPrefix("the lent PCM is \"file:/tmp/x,raw\", expected ") == true)
    await player.end()
  }

  @Test("has the same rule in its manifest", arguments: ["dvdPlayer", "cdPlayer"])
  func manifest(_ role: String) throws {
    let file = Program.project.appending(path: "Plugins/MpvPlayer/manifest.json")
    let manifest = try JSON(parsing: String(contentsOf: file, encoding: .utf8))
    let option = manifest["roles"]?[role]?["options"]?["properties"]?["audioDevice"]
    #expect(option?["pattern"]?.string == "^\(SoundDeviceName.pattern)?$")
    #expect(option?["maxLength"]?.integer == SoundDeviceName.longest)
  }
}
