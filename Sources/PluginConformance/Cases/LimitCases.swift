import Devices
import Foundation
import JSON
import PluginProtocol

extension ConformanceCase {
  /// The cases about the limits of texts and catalogues, and the values of states.
  package static let limits = [
    ConformanceCase(
      "after any command, reports have only keys and values of the role, and texts within limits",
      .values, .texts, .longLines, .errorKind, .logLevel, .provenance
    ) { trial in
      let role = try trial.requireRole()
      try await trial.withProcess { client in
        let (opened, first) = try await client.open("a", role)
        try opened.success("open")
        var reports = ReportLimitCheck(role: role.role)
        try first.forEach { try reports.check($0) }
        let items = try await client.playableItems(of: "a", role.role)
        let commands = role.role.sampleCommands(
          items: items, within: trial.target.restrictions)
        for command in commands {
          let (result, before) = try await client.perform("a", command)
          try before.forEach { try reports.check($0) }
          if let error = result.error {
            try expect(
              error == error.bounded, "an error with texts within the limits",
              received: error.summary, rule: .texts)
            try error.expectKnownKind()
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
        let items = try await client.checkedCatalogue(of: "a", folder: folder.path)
        let size = items.reduce(0) { $0 + $1.byteCount }
        try expect(
          items.count <= ProtocolLimits.catalogueItems && size <= ProtocolLimits.catalogueBytes,
          "a catalogue within the limits", received: "\(items.count) items, \(size) bytes")
      }
    },
  ]
}

extension PluginClient {
  /// Reads all pages of a catalogue and returns the items that are valid. Fails the case on too many pages.
  func catalogue(of device: DeviceID, folder: String?) async throws -> [CatalogueItem] {
    try await items(of: device, folder: folder) { _ in }
  }

  /// Returns the items that a player or tuner can play; none for other roles.
  func playableItems(of device: DeviceID, _ role: Role) async throws -> [CatalogueItem] {
    role.category == nil ? [] : try await catalogue(of: device, folder: nil)
  }

  /// Reads all pages of a catalogue. Fails the case on too many pages, an invalid item, and an id that two items have.
  func checkedCatalogue(of device: DeviceID, folder: String?) async throws -> [CatalogueItem] {
    // By bytes, because files may have names that differ in their normalization alone.
    var ids: Set<[UInt8]> = []
    return try await items(of: device, folder: folder) { json in
      try CatalogueItem.expectValid(json)
      guard let id = json["id"]?.string, !ids.insert(Array(id.utf8)).inserted else { return }
      throw ConformanceFailure(
        "each id once in a catalogue", received: "\(text(.string(id))) again",
        advice: "give each item another id, such as its path", rule: .itemIDs)
    }
  }

  /// Reads all pages of a catalogue and calls `check` with each item as the plugin sent it.
  private func items(
    of device: DeviceID, folder: String?, check: (JSON) throws -> Void
  ) async throws -> [CatalogueItem] {
    var items: [CatalogueItem] = []
    var cursor: String? = ""
    for _ in 0..<ProtocolLimits.cataloguePages {
      guard let place = cursor, items.count <= CatalogueBudget.items else { break }
      let request = ScanRequest(device: device, folder: folder, cursor: place)
      let result = try await call(ScanRequest.method, request.params).result
        .success(ScanRequest.method)
      let page = try require(
        ScanRequest.decodeAnswer(result), "a valid answer to scan", received: text(result),
        rule: .scanAnswer)
      let sent = result["items"]?.array ?? []
      try expect(
        page.next == nil || !sent.isEmpty, "items on a page that has a next one",
        received: "none", rule: .pages)
      let length = page.next?.utf8.count ?? 0
      try expect(
        length <= ProtocolLimits.cursor, "a cursor of at most \(ProtocolLimits.cursor) bytes",
        received: "\(length) bytes", rule: .cursor)
      try sent.forEach(check)
      items += page.items
      cursor = page.next
    }
    // A longer catalogue is a fault of its size, which the caller checks.
    guard items.count <= CatalogueBudget.items else { return items }
    try expect(cursor == nil, "a last page", received: "another one", rule: .pages)
    return items
  }
}

extension CatalogueItem {
  /// Fails unless `json` is a valid item of a catalogue. The controller leaves out an item without a valid id and
  /// title, and other values that are not valid.
  fileprivate static func expectValid(_ json: JSON) throws {
    let item = try require(
      CatalogueItem(json), "an item with the texts \"id\" and \"title\"", received: text(json),
      rule: .itemKeys)
    try expect(
      item.id.utf8.count <= ProtocolLimits.item,
      "an id of at most \(ProtocolLimits.item) bytes",
      received: "\(item.id.utf8.count) bytes: \(text(.string(item.id)))", rule: .texts)
    try expect(
      item.bounded == item && item.id.isStreamSafe,
      "an item with texts of one line and within the limits", received: text(json), rule: .texts)
    let read: [(key: String, isValid: Bool, expected: String)] = [
      ("artist", item.artist != nil, "a text"), ("album", item.album != nil, "a text"),
      ("format", item.format != nil, "a text"),
      ("picture", json["picture"]?.bool != nil, "true or false"),
      ("duration", item.duration != nil, "a number from 0 to 1000000000 (s)"),
      ("track", item.track != nil, "a whole number from 0 to 999999"),
      ("channels", item.channels != nil, "a whole number from 1 to 64"),
    ]
    for (key, isValid, expected) in read where !isValid {
      guard let value = json[key], !value.isNull else { continue }
      throw ConformanceFailure(
        "\"\(key)\" of an item as \(expected)",
        received: "\(text(value)) in the item \(text(.string(item.id)))",
        advice: "leave out a value that is not known", rule: .itemNumbers)
    }
  }
}

extension RPCError {
  /// Fails if the kind of a device's error is not one of the protocol.
  fileprivate func expectKnownKind() throws {
    guard code == Self.deviceErrorCode else { return }
    let kind = data?["kind"]
    try expect(
      kind?.string.flatMap(DeviceError.Code.init) != nil,
      "an error with a kind of "
        + DeviceError.Code.allCases.map(\.rawValue).joined(separator: ", "),
      received: text(kind), rule: .errorKind)
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
      try requireWord(
        params["level"], among: LogNotification.Level.allCases.map(\.rawValue),
        "a level of log", rule: .logLevel)
      let length = params["message"]?.string?.utf8.count ?? 0
      try expect(
        length <= ProtocolLimits.logMessage, "a log message within the limit",
        received: "\(length) bytes", rule: .texts)
    }
    guard method == StateNotification.method else { return }
    let state = try require(
      StateNotification(params: params), "a valid state notification", received: text(params))
    try requireWord(
      params["provenance"], among: Provenance.allCases.map(\.rawValue), "a provenance",
      rule: .provenance)
    try check(state, keys: params["state"]?.object.map { Array($0.keys) } ?? [])
  }

  /// Fails if a word is given and is not in the protocol's list.
  private func requireWord(
    _ word: JSON?, among words: [String], _ what: String, rule: ProtocolRule
  ) throws {
    guard let word, !word.isNull, word.string.map(words.contains) != true else { return }
    throw ConformanceFailure(
      "\(what): " + words.joined(separator: ", "), received: text(word), rule: rule)
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
