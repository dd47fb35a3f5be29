import Devices
import JSON
import PluginProtocol
import TestSupport
import Testing

@testable import PluginKit

@Suite struct SoundDeviceNameTests {
  /// The names of devices on real machines.
  static let good = [
    "default", "pulse", "pipewire", "jack", "null", "theater", "a", "my_dac", "Usb-Dac2", "hw:0",
    "hw:0,0", "hw:CARD=PCH,DEV=0", "hw:PCH", "plughw:1,3", "plughw:CARD=Dock,DEV=1",
    "sysdefault:CARD=PCH", "front:CARD=PCH,DEV=0", "surround21:CARD=PCH,DEV=0", "surround51:0",
    "surround71:CARD=PCH,DEV=0", "surround51", "hdmi:0", "hdmi:CARD=HDMI,DEV=2", "iec958:0",
    "iec958:CARD=PCH,DEV=0,AES0=0x06,AES1=0x82,AES2=0x00,AES3=0x02", "dmix:CARD=PCH,DEV=0",
    String(repeating: "x", count: 100),
  ]

  /// Texts that libasound would read as a definition, a key, or a device with other arguments, and texts that only
  /// look like names.
  static let bad = [
    "", " ", ":", "hw:", "hw: 0", "hw:0 ", " hw:0", "hw :0", "hw:0\n", "\nhw:0", "hw:0\nfile:x",
    "default\n", "default ", "default\t", "default\0", "hw:0\0,0", "default:", "default:0",
    "default:CARD=PCH", "pulse:SINK", "pipewire:x", "null:", "jack:x", "card:DIR=x", "file:x",
    "file:x,raw", "file:'|id >f; cat >/dev/null',raw", "file:'|x'", "tee:default,x,raw",
    "tee:hw,'|x',raw", "plug:hw", "plug:'hw:0'", "plug:{SLAVE=\"file:x\"}", "plug:SLAVE='hw:0'",
    "plug:dmix", "shm:x,y", "asym:x", "rate_convert:x", "softvol:x", "dsnoop:0", "rear:0",
    "center_lfe:0", "usbstream:CARD=PCH", "surround:0", "surround5:0", "surround511:0",
    "surroundAB:0", "HW:0", "Plughw:0", "hw:{CARD 0}", "hw:0,0'|x'", "hw:0;x", "hw:$CARD",
    "hw:@func", "hw:0:1", "hw:0.0", "hw:0-1", "hw:0/1", "hw:../x", "plughw:\"x\"", "hw:'0'",
    "hw:CARD=é", "@args", "@hooks", "_x", "-x", "0", "0hw", "9default", ".x", "a.b", "pcm.default",
    "cards.pcm", "/etc/passwd", "../x", "a/b", "a'b", "a\"b", "a|b", "a;b", "a$b", "a`b", "a{b}",
    "{ type file }", "a b", "a,b", "a=b", "a+b", "a~b", "défaut", "ｈｗ:0", "hw：0", "hw:０", "hw꞉0",
    "dеfault", "default\u{200B}", "\u{FEFF}default", "default\u{301}", "hw:0\u{2028}", "hw:0‚0",
    "default\r", "default\u{7F}", "default\u{85}", String(repeating: "x", count: 101),
    "hw:" + String(repeating: "0", count: 98), String(repeating: "x", count: 100_000),
  ]

  @Test("accepts the names of devices on real machines", arguments: good)
  func accepts(_ name: String) throws {
    #expect(SoundDeviceName(name)?.text == name)
    #expect(try OptionReader(["device": .string(name)]).soundDevice("device")?.text == name)
  }

  @Test(
    "refuses every other text, with the option, the text and what is expected", arguments: bad)
  func refuses(_ name: String) {
    #expect(SoundDeviceName(name) == nil)
    #expect {
      try OptionReader(["device": .string(name)]).soundDevice("device")
    } throws: { error in
      guard let error = error as? DeviceError, error.message.utf8.count < 500 else { return false }
      return error.code == .invalid && error.message.hasPrefix("the option \"device\" is ")
    }
  }

  @Test("an error quotes the text and says what is expected")
  func error() {
    #expect {
      try OptionReader(["device": "file:'|id >f',raw"]).soundDevice("device")
    } throws: { error in
      let message = (error as? DeviceError)?.message ?? ""
      return message.contains("\"file:'|id >f',raw\"") && message.contains("expected the name of")
    }
    #expect {
      try OptionReader(["device": 7]).soundDevice("device")
    } throws: { error in
      (error as? DeviceError)?.message == "the option \"device\" is not a text"
    }
    #expect(throws: Never.self) { try OptionReader([:]).soundDevice("device") }
  }

  @Test("a player never gets to know a lent PCM with another name")
  func lent() async throws {
    let plugin = ServedPlugin()
    try plugin.open(1)
    try plugin.send(2, PlugRequest(device: "a", target: .pcm("file:'|id',raw")))
    let error = await plugin.answers(2)[2]?.failure?.deviceError(device: "a")
    #expect(error?.code == .invalid)
    #expect(error?.message.contains("the lent PCM is \"file:'|id',raw\"") == true)
    #expect(!plugin.script.log.contains { $0.contains("file") })
  }
}
