import Devices
import Foundation
import JSON
import PluginProtocol

extension ConformanceCase {
  /// The cases about the limits of texts and catalogues, and the values of states.
  package static let limits = [
    ConformanceCase(
      "after any command, reports have only keys and values of the role, and texts within limits",
      .values, .texts
    ) { trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        let (opened, first) = try await client.open("a", role)
        try opened.success("open")
        var reports = ReportLimitCheck(role: role.role)
        try first.forEach { try reports.check($0) }
        let items = try await client.catalogue(of: "a", folder: nil)
        for command in role.role.sampleCommands(items: items) {
          let (result, before) = try await client.perform("a", command)
          try before.forEach { try reports.check($0) }
          if let error = result.error {
            try expect(
              error == error.bounded, "an error with texts within the limits",
              received: error.summary, rule: .texts)
          }
        }
        try await client.call("ping", [:]).before.forEach { try reports.check($0) }
      }
    },
    ConformanceCase("the catalogue of a folder keeps to the limits", .catalogueSize, .texts) {
      trial in
      try await trial.withDevice { client, _ in
        let folder = try ScannableFolder(trial.target.mediaFolder)
        defer { folder.remove() }
        let items = try await client.catalogue(of: "a", folder: folder.path)
        let size = items.reduce(0) { $0 + $1.byteCount }
        try expect(
          items.count <= ProtocolLimits.catalogueItems && size <= ProtocolLimits.catalogueBytes,
          "a catalogue within the limits", received: "\(items.count) items, \(size) bytes")
      }
    },
  ]
}

extension PluginClient {
  /// Reads all pages of a catalogue. Fails the case on an item beyond the limits, and on too many pages.
  func catalogue(of device: DeviceID, folder: String?) async throws -> [CatalogueItem] {
    var items: [CatalogueItem] = []
    var cursor: String? = ""
    for _ in 0..<ProtocolLimits.cataloguePages {
      guard let place = cursor, items.count <= CatalogueBudget.items else { break }
      let page = try await ask(ScanRequest(device: device, folder: folder, cursor: place))
      try expect(
        page.next == nil || !page.items.isEmpty, "items on a page that has a next one",
        received: "none", rule: .pages)
      if let item = page.items.first(where: { $0.bounded != $0 || !$0.id.isStreamSafe }) {
        throw ConformanceFailure(
          "items with texts within the limits", received: text(item.json), rule: .texts)
      }
      items += page.items
      cursor = page.next
    }
    // A longer catalogue is a fault of its size, which the caller checks.
    guard items.count <= CatalogueBudget.items else { return items }
    try expect(cursor == nil, "a last page", received: "another one", rule: .pages)
    return items
  }
}

/// A check of all reports of a device against the limits and the values of its role.
private struct ReportLimitCheck {
  let role: Role
  private var attributes: [String: Attribute] = [:]

  init(role: Role) { self.role = role }

  mutating func check(_ message: RPCMessage) throws {
    guard case .notification(let method, let params) = message else { return }
    let length = message.line().count
    try expect(
      length <= ProtocolLimits.longestLine, "a line within the limit", received: "\(length) bytes",
      rule: .longLines)
    if method == LogNotification.method {
      let length = params["message"]?.string?.utf8.count ?? 0
      try expect(
        length <= ProtocolLimits.logMessage, "a log message within the limit",
        received: "\(length) bytes", rule: .texts)
    }
    guard method == StateNotification.method else { return }
    let state = try require(
      StateNotification(params: params), "a valid state notification", received: text(params))
    try check(state, keys: params["state"]?.object.map { Array($0.keys) } ?? [])
  }

  private mutating func check(_ state: StateNotification, keys: [String]) throws {
    let known = role.stateKeys.map(\.rawValue)
    for key in keys where !known.contains(key) {
      throw ConformanceFailure("keys of \(role.rawValue)", received: short("\"\(key)\""))
    }
    for (key, value) in state.values where !key.shape.admits(value) {
      throw ConformanceFailure("a value of the table", received: "\(key.rawValue): \(text(value))")
    }
    if let playback = state.values[.playback].flatMap(Playback.init) {
      try expect(
        playback == playback.bounded, "a playback with texts within the limits",
        received: text(state.params), rule: .texts)
    }
    attributes.merge(state.attributes) { $1 }
    let size = attributes.reduce(0) { $0 + $1.value.byteCount(name: $1.key) }
    let areBounded = attributes.allSatisfy { name, attribute in
      attribute.bounded == attribute && name.utf8.count <= ProtocolLimits.attributeName
    }
    try expect(
      areBounded && attributes.count <= ProtocolLimits.attributes
        && size <= ProtocolLimits.attributeBytes,
      "attributes within the limits", received: text(state.params), rule: .texts)
  }
}

extension Role {
  /// Returns each command of the role, with both bounds of its range or an existing item as arguments; `off` is
  /// last.
  fileprivate func sampleCommands(items: [CatalogueItem]) -> [JSON] {
    let all = commands.flatMap { spec -> [JSON] in
      guard let argument = spec.argument else { return [.string(spec.name)] }
      let plain: [JSON] = argument.isRequired ? [] : [.string(spec.name)]
      switch argument.shape {
      case .integer(let range, _):
        return plain + [range.lowerBound, range.upperBound].map { [spec.name: .integer($0)] }
      case .number(let range, _):
        return plain + [range.lowerBound, range.upperBound].map { [spec.name: .number($0)] }
      case .text:
        return plain + (items.prefix(2).map(\.id) + ["dvd"]).map { [spec.name: .string($0)] }
      case .fields:
        return plain + items.prefix(2).map { [spec.name: ["item": .string($0.id)]] }
      }
    }
    return all.filter { $0 != "off" } + all.filter { $0 == "off" }
  }
}

/// A folder with music to scan: a given one, or a new one with a short silent file that `remove` deletes.
struct ScannableFolder {
  let path: String
  private let isOwn: Bool

  init(_ given: String?) throws {
    isOwn = given == nil
    path = try given ?? TemporaryPath.make()
    if isOwn {
      try Data(Self.silence).write(to: URL(filePath: path).appending(path: "silence.wav"))
    }
  }

  func remove() { if isOwn { try? FileManager.default.removeItem(atPath: path) } }

  /// A WAV file of 0.1 s: mono, 8,000 Hz, 16 bits.
  private static let silence: [UInt8] = {
    func little(_ value: Int, bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let samples = [UInt8](repeating: 0, count: 1600)
    let format =
      little(1, bytes: 2) + little(1, bytes: 2) + little(8000, bytes: 4) + little(16_000, bytes: 4)
      + little(2, bytes: 2) + little(16, bytes: 2)
    let body =
      Array("WAVEfmt ".utf8) + little(format.count, bytes: 4) + format + Array("data".utf8)
      + little(samples.count, bytes: 4) + samples
    return Array("RIFF".utf8) + little(body.count, bytes: 4) + body
  }()
}

/// Makes private folders with a path that is short enough for the address of a Unix socket.
enum TemporaryPath {
  static func make() throws -> String {
    let path =
      FileManager.default.temporaryDirectory.path + "/theater-check-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return path
  }
}
