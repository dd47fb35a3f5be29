import JSON

/// A message of mpv's JSON IPC: a reply to a request, or an event.
enum MpvMessage: Equatable, Sendable {
  /// The reply to a request: its data (`null` if it has none), or mpv's error text.
  case reply(id: Int, Result<JSON, MpvRefusal>)
  case event(MpvEvent)

  /// Parses a line without its newline; nil if it is not a message of mpv.
  init?(line: some Collection<UInt8>) {
    guard let json = Self.json(of: line), json.object != nil else { return nil }
    if let name = json["event"]?.string {
      self = .event(MpvEvent(name, json))
      return
    }
    guard let id = json["request_id"]?.integer, let error = json["error"]?.string else {
      return nil
    }
    self = .reply(
      id: id, error == "success" ? .success(json["data"] ?? .null) : .failure(MpvRefusal(error)))
  }

  /// Parses a line as UTF-8, or as Latin-1 if it is not valid UTF-8; nil if it is not JSON.
  ///
  /// mpv passes the bytes of a tag on unchanged, and the tags of old files are Latin-1.
  private static func json(of line: some Collection<UInt8>) -> JSON? {
    if let json = try? JSON(parsing: line) { return json }
    guard String(validating: line, as: UTF8.self) == nil else { return nil }
    let scalars = line.map { byte in Unicode.Scalar(byte) }
    return try? JSON(parsing: String(String.UnicodeScalarView(scalars)))
  }

  /// Returns the line of a request, with its newline.
  ///
  /// - Parameter command: The words of the command, or an object with its name and its named arguments.
  static func request(_ id: Int, _ command: JSON) -> [UInt8] {
    let request: JSON = ["command": command, "request_id": .integer(id)]
    return Array(request.text().utf8) + [0x0A]
  }
}

/// The error text of a reply, such as "property unavailable".
struct MpvRefusal: Error, Equatable, Sendable {
  /// One line of at most 200 bytes.
  let text: String

  init(_ text: String) { self.text = text.boundedLine(maximumBytes: 200) }
}

/// An event of mpv.
enum MpvEvent: Equatable, Sendable {
  /// The reason why the playback of a file ended.
  enum EndReason: String, Sendable {
    case eof, stop, quit, error, redirect, unknown
  }

  /// mpv has left the medium before, and begins to open the playlist entry with this number (nil if mpv does not give
  /// one).
  case startFile(entry: Int?)
  case fileLoaded
  /// The file begins to play, or continues after a seek. Also sent for a paused file.
  case playbackRestart
  /// The end of a playlist entry: its number (nil if mpv does not give one), the reason, and for the reason `error` the
  /// error text.
  case endFile(entry: Int?, EndReason, error: String)
  /// A new value of an observed property; `null` while it is not available.
  case propertyChange(String, JSON)
  /// A line of mpv's log.
  case log(String)
  /// An event that the player does not use.
  case other

  init(_ name: String, _ json: JSON) {
    switch name {
    case "start-file": self = .startFile(entry: json["playlist_entry_id"]?.integer)
    case "file-loaded": self = .fileLoaded
    case "playback-restart": self = .playbackRestart
    case "end-file":
      let reason = json["reason"]?.string.flatMap(EndReason.init) ?? .unknown
      self = .endFile(
        entry: json["playlist_entry_id"]?.integer, reason,
        error: (json["file_error"]?.string ?? "").boundedLine(maximumBytes: 200))
    case "property-change":
      guard let property = json["name"]?.string else {
        self = .other
        return
      }
      self = .propertyChange(property, json["data"] ?? .null)
    case "log-message":
      let text = "\(json["prefix"]?.string ?? ""): \(json["text"]?.string ?? "")"
      self = .log(text.boundedLine(maximumBytes: 200))
    default: self = .other
    }
  }
}
