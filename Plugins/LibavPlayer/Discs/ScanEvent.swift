import JSON
import MediaFolders

/// An event of a scan.
enum ScanEvent: Equatable, Sendable {
  /// The folder was walked: the files that are known, and those that are skipped.
  case walked([FoundFile], SkippedFiles)
  /// This file is read next.
  case opening(FoundFile)
  /// The file is a song.
  case song(Song)
  /// The current file is skipped after it was read, or the scan skips something unread.
  case skipped(MediaFailure, wasRead: Bool)
}

extension ScanEvent {
  /// The event as one line of a scanning process's output.
  var json: JSON {
    switch self {
    case .walked(let files, let skipped):
      [
        "known": .array(files.map(\.json)), "skipped": .array(skipped.failures.map(\.json)),
        "count": .integer(skipped.count),
      ]
    case .opening(let file): ["opening": file.json]
    case .song(let song): ["song": song.json]
    case .skipped(let failure, let wasRead): ["left out": failure.json, "read": .bool(wasRead)]
    }
  }

  /// Reads one line of the scanning process's output.
  init?(_ json: JSON) {
    if let file = json["opening"].flatMap(FoundFile.init) {
      self = .opening(file)
    } else if let song = json["song"].flatMap(Song.init) {
      self = .song(song)
    } else if let failure = json["left out"].flatMap(MediaFailure.init) {
      self = .skipped(failure, wasRead: json["read"]?.bool ?? false)
    } else if let known = json["known"]?.array, let failures = json["skipped"]?.array,
      let count = json["count"]?.integer
    {
      self = .walked(
        known.compactMap(FoundFile.init),
        SkippedFiles(failures.compactMap(MediaFailure.init), count: count))
    } else {
      return nil
    }
  }
}

extension FoundFile {
  var json: JSON { [.string(path), .string(stamp)] }

  init?(_ json: JSON) {
    guard let texts = json.array?.map(\.string), texts.count == 2, let path = texts[0],
      let stamp = texts[1]
    else { return nil }
    self.init(path: path, stamp: stamp)
  }
}

extension Song {
  /// Its approximate size as JSON, in bytes.
  var size: Int {
    let texts = [id, title, artist, album, format, stamp]
    return 150 + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }

  fileprivate var json: JSON {
    var object: JSONObject = [
      "id": .string(id), "title": .string(title), "format": .string(format),
      "channels": .integer(channels), "stamp": .string(stamp),
    ]
    object["artist"] = artist.map { .string($0) }
    object["album"] = album.map { .string($0) }
    object["track"] = track.map { .integer($0) }
    object["disc"] = disc.map { .integer($0) }
    object["duration"] = duration.map { .number($0) }
    return .object(object)
  }

  fileprivate init?(_ json: JSON) {
    guard let id = json["id"]?.string, let title = json["title"]?.string,
      let format = json["format"]?.string, let channels = json["channels"]?.integer,
      let stamp = json["stamp"]?.string
    else { return nil }
    self.init(
      id: id, title: title, artist: json["artist"]?.string, album: json["album"]?.string,
      track: json["track"]?.integer, disc: json["disc"]?.integer,
      duration: json["duration"]?.number, format: format, channels: channels, stamp: stamp)
  }
}

extension MediaFailure {
  fileprivate var json: JSON {
    [
      "kind": .string(kind.rawValue), "subject": .string(subject), "detail": .string(detail),
      "hint": .string(hint),
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init), let subject = json["subject"]?.string,
      let detail = json["detail"]?.string, let hint = json["hint"]?.string
    else { return nil }
    self.init(kind, subject: subject, detail: detail, hint: hint)
  }
}
