import Devices
import JSON
import PluginProtocol
import Testing

@Suite("Limits of messages")
struct BoundedMessagesTests {
  private static let long = String(repeating: "ä", count: 100_000)

  @Test("Cuts a 200 kB error message and its hint, and drops unknown data")
  func errors() throws {
    let error = RPCError(
      RPCError.deviceErrorCode, Self.long,
      data: ["kind": "refused", "hint": .string(Self.long), "retryAfter": 3, "more": ["x"]])
    let bounded = error.bounded
    #expect(bounded.message.utf8.count <= ProtocolLimits.message && bounded.message.hasSuffix("…"))
    let hint = try #require(bounded.data?["hint"]?.string)
    #expect(hint.utf8.count <= ProtocolLimits.message)
    #expect(bounded.data?["kind"] == "refused" && bounded.data?["retryAfter"] == 3)
    #expect(bounded.data?["more"] == nil)
    let device = bounded.deviceError(device: "lamp")
    #expect(device.code == .refused && device.retryAfter == .seconds(3))
    #expect(RPCError(1, "no").bounded == RPCError(1, "no"))
  }

  @Test("A plugin cuts its own errors and log messages before it sends them")
  func outgoing() {
    let refusal = RPCError(DeviceError(.failed, Self.long, hint: Self.long))
    #expect(refusal == refusal.bounded)
    let message = LogNotification(.info, Self.long).params["message"]?.string ?? ""
    #expect(message.utf8.count <= ProtocolLimits.logMessage && message.hasSuffix("…"))
  }

  @Test("Cuts the texts of an item, and drops an item whose id is too long")
  func items() throws {
    let text = "\u{202E}\n" + Self.long
    let item = CatalogueItem(
      id: "a", title: text, artist: text, album: text, track: 3, duration: 2, format: text)
    let bounded = try #require(item.bounded)
    for kept in [bounded.title, bounded.artist, bounded.album] {
      let kept = try #require(kept)
      #expect(kept.utf8.count <= ProtocolLimits.title && kept.hasPrefix("ä"))
    }
    #expect(try #require(bounded.format).utf8.count <= ProtocolLimits.format)
    #expect(bounded.id == "a" && bounded.track == 3 && bounded.duration == 2)
    #expect(CatalogueItem(id: Self.long, title: "A").bounded == nil)
    let path = String(repeating: "d/", count: 2048)
    #expect(CatalogueItem(id: path, title: "A").bounded?.id == path)
  }

  @Test("E9 E15 · plays every item that a catalogue may list, up to an id of 4,096 bytes")
  func longestItem() throws {
    let id = String(repeating: "i", count: ProtocolLimits.item)
    #expect(id.utf8.count == 4096)
    for role in [Role.dvdPlayer, .cdPlayer] {
      #expect(CatalogueItem(id: id, title: "Long").bounded?.id == id)
      #expect(try Command(["play": ["item": .string(id)]], role: role).item == id)
      #expect(CatalogueItem(id: id + "i", title: "Too long").bounded == nil)
      #expect(throws: CommandError.self) {
        try Command(["play": ["item": .string(id + "i")]], role: role)
      }
    }
  }

  @Test("Cuts the reason of a playback, and drops a playback whose item is too long")
  func playbacks() throws {
    let bounded = try #require(Playback(.failed, item: "a", reason: Self.long).bounded)
    #expect(try #require(bounded.reason).utf8.count <= ProtocolLimits.title)
    #expect(Playback(.playing, item: Self.long).bounded == nil)
    let plain = Playback(.playing, item: "a", position: 3, duration: 9, reason: "Artist - Title")
    #expect(plain.bounded == plain)
  }

  @Test("Cuts the texts of an attribute, and drops one whose list or object is too large")
  func attributes() throws {
    let texts = Attribute(.string(Self.long), unit: Self.long, label: Self.long)
    let bounded = try #require(texts.bounded)
    #expect(try #require(bounded.value.string).utf8.count <= ProtocolLimits.attributeValue)
    #expect(try #require(bounded.unit).utf8.count <= ProtocolLimits.attributeUnit)
    #expect(try #require(bounded.label).utf8.count <= ProtocolLimits.attributeLabel)
    #expect(Attribute(.array([.string(Self.long)])).bounded == nil)
    #expect(Attribute(["a": ["b\u{202E}\nc", 3]]).bounded?.value == ["a": ["b c", 3]])
    #expect(Attribute(["a\n": 1, "a": 2]).bounded?.value == ["a": 2])
    for value: JSON in [nil, true, -40, 1e300, "412"] {
      #expect(Attribute(value, unit: "h", label: "Lamp").bounded?.value == value)
    }
  }

  @Test("Rejects a PCM name that is empty or too long")
  func lentPCM() {
    #expect(LendRequest.decodeAnswer(["pcm": "hw:0,0"]) == "hw:0,0")
    #expect(LendRequest.decodeAnswer(["pcm": ""]) == nil)
    #expect(LendRequest.decodeAnswer(["pcm": .string(Self.long)]) == nil)
  }

  @Test("Cuts the title and version of a manifest, and rejects lists and words beyond their limits")
  func manifest() throws {
    var object: JSONObject = [
      "id": "P", "version": .string(Self.long), "title": .string(Self.long), "protocol": "1.0",
      "command": ["./x"], "roles": ["lights": [:]],
    ]
    let manifest = try Manifest(.object(object))
    #expect(manifest.title.utf8.count <= ProtocolLimits.manifestTitle)
    #expect(manifest.version.utf8.count <= ProtocolLimits.manifestVersion)
    for command: JSON in [
      .array(Array(repeating: "x", count: ProtocolLimits.manifestWords + 1)),
      ["./x", .string(Self.long)],
    ] {
      object["command"] = command
      let error = #expect(throws: ManifestError.self) { try Manifest(.object(object)) }
      #expect(error?.path == [.key("command")])
    }
    object["command"] = ["./x"]
    object["roles"] = .object([Self.long: [:]])
    let error = #expect(throws: ManifestError.self) { try Manifest(.object(object)) }
    #expect(error.map { $0.description.utf8.count < 1000 } == true)
  }

  @Test("drops the impossible duration of a playback")
  func duration() throws {
    let long = Playback(.playing, item: "a", position: 1, duration: 9.4e10)
    #expect(try #require(long.bounded).duration == nil)
    #expect(try #require(Playback(.playing, item: "a", duration: 90).bounded).duration == 90)
  }
}
