import Devices
import JSON
import PluginProtocol
import Testing

@Suite("Manifests")
struct ManifestTests {
  private static let whole: JSON = [
    "id": "Lamp", "version": "1.2.3", "title": "A lamp", "protocol": "1.0",
    "command": ["./lamp", "--serve"], "environment": ["HOME", "PULSE_SERVER", "PULSE_*"],
    "roles": [
      "lights": ["remembers": ["brightness"], "options": ["type": "object"]],
      "dvdPlayer": ["cables": ["pcm", "wired"]],
    ],
    "somethingNewer": true,
  ]

  @Test("reads a complete manifest, and ignores unknown keys")
  func whole() throws {
    let manifest = try Manifest(parsing: Self.whole.prettyText().utf8)
    #expect(manifest.id == "Lamp")
    #expect(manifest.protocolVersion == ProtocolVersion(major: 1, minor: 0))
    #expect(manifest.command == ["./lamp", "--serve"])
    #expect(manifest.environment == ["HOME", "PULSE_SERVER", "PULSE_*"])
    #expect(manifest.roles[.lights]?.remembers == [.brightness])
    #expect(manifest.roles[.dvdPlayer]?.cables == [.pcm, .wired])
    #expect(manifest.roles[.lights]?.options["type"] == "object")
  }

  @Test(
    "refuses a wrong manifest with the path of the mistake",
    arguments: [
      ("id", "a/b", "$.id"), ("id", "", "$.id"), ("id", nil, "$.id"),
      ("protocol", "1", "$.protocol"), ("version", 1, "$.version"), ("command", [], "$.command"),
      ("command", "./lamp", "$.command"), ("command", ["./lamp", 1], "$.command"),
      ("roles", [:], "$.roles"), ("roles", ["lamp": [:]], "$.roles.lamp"),
      ("roles", ["lights": 1], "$.roles.lights"),
      ("roles", ["lights": ["cables": ["rope"]]], "$.roles.lights.cables[0]"),
      ("roles", ["lights": ["remembers": "power"]], "$.roles.lights.remembers"),
      ("environment", ["HOME", "SECRET_TOKEN"], "$.environment[1]"),
      ("environment", ["PULSE"], "$.environment[0]"),
    ] as [(String, JSON, String)])
  func wrong(_ key: String, _ value: JSON, _ path: String) {
    var object = Self.whole.object ?? [:]
    object[key] = value
    let error = #expect(throws: ManifestError.self) { try Manifest(.object(object)) }
    #expect(error?.path.description == path)
  }

  @Test("refuses a manifest that is not JSON with line and column")
  func syntax() {
    let error = #expect(throws: ManifestError.self) { try Manifest(parsing: "{\n  x}".utf8) }
    #expect(error?.position == TextPosition(line: 2, column: 3))
    #expect(error?.description.hasPrefix("line 2, column 3, $: the key x") == true)
  }
}
