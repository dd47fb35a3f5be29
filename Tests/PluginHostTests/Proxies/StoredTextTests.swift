import Devices
import JSON
import PluginKit
import PluginProtocol
import Synchronization
import TestSupport
import Testing

@testable import PluginHost

@Suite("E7 · the 200 stored texts in what a plugin reports")
struct StoredTextTests {
  /// The kept form of a text of a plugin: one line without disturbing characters.
  private static func line(_ text: String, _ limit: Int) -> String {
    text.boundedLine(maximumBytes: limit)
  }

  @Test("F5 · attributes, and reasons are kept as lines, and ids of items as they are")
  func reports() throws {
    for payload in try StoredPayload.all() {
      let text = payload.text
      var check = ReportCheck(.cdPlayer)
      var playback = Playback(.failed, item: text)
      playback.reason = text
      let report = StateNotification(
        device: "it", values: [.playback: playback.json],
        attributes: [
          "plain": Attribute(.string(text), unit: text, label: text), text: Attribute(1),
          "list": Attribute([.string(text), [text: .string(text)]]),
        ])
      // As it comes over the wire.
      let params = try JSON(parsing: report.params.text())
      let accepted = check.filtered(try #require(StateNotification(params: params))) { _ in }
      let kept = try #require(accepted.values[.playback].flatMap { Playback($0) })
      #expect(kept.item.map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
      #expect(kept.reason == Self.line(text, ProtocolLimits.title))
      let plain = try #require(accepted.attributes["plain"])
      #expect(plain.value.string == Self.line(text, ProtocolLimits.attributeValue))
      #expect(plain.unit == Self.line(text, ProtocolLimits.attributeUnit))
      #expect(plain.label == Self.line(text, ProtocolLimits.attributeLabel))
      #expect(accepted.attributes[Self.line(text, ProtocolLimits.attributeName)] != nil)
      let list = accepted.attributes["list"]?.value.array
      #expect(list?.first?.string == Self.line(text, ProtocolLimits.attributeValue))
    }
  }

  @Test("the titles of a player's catalogue are lines, and its ids are unchanged")
  func catalogue() async throws {
    let payloads = try StoredPayload.all()
    let script = DeviceScript()
    script.state.withLock { state in
      state.items = payloads.enumerated().map { index, payload in
        CatalogueItem(
          id: "\(index)\(payload.text)", title: payload.text, artist: payload.text,
          album: payload.text, format: payload.text)
      }
    }
    try await HostBench(CDPlayerCommand.self, script).run { player in
      let media = try #require(player.facet((any MediaSource).self))
      let items = try await media.listCatalogue(folder: nil).items
      #expect(items.count == payloads.count)
      for (index, (item, payload)) in zip(items, payloads).enumerated() {
        let line = Self.line(payload.text, ProtocolLimits.title)
        #expect(item.title == line && item.artist == line && item.album == line)
        #expect(item.id.utf8.elementsEqual("\(index)\(payload.text)".utf8))
      }
    }
  }

  @Test("E15 · the reason of a refusal and of an outage is a line, for people")
  func refusals() async throws {
    let script = DeviceScript([.power: "off"])
    try await HostBench(LightsCommand.self, script).run { lamp in
      for payload in try StoredPayload.all() {
        script.refuse([DeviceError(.refused, payload.text, hint: payload.text)])
        let error = await outcome(of: LightsCommand.on, on: lamp).failure
        #expect(error?.message == Self.line(payload.text, ProtocolLimits.message))
        #expect(error?.hint == Self.line(payload.text, ProtocolLimits.message))
      }
    }
  }
}
