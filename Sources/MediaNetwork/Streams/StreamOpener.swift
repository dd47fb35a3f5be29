import CLibav
import MediaFolders
import Platform

/// An opener of streams that follows playlists to the first stream that answers.
package struct StreamOpener {
  /// A stream that answers.
  package enum Stream {
    /// Bytes of sound or of a film, with those that were read already.
    case bytes(MediaReader, beginning: [UInt8])
    /// A playlist of segments, which libav's or mpv's own demuxer follows.
    case hls
  }

  /// The most playlists that lead to each other, and the most requests of one opening.
  package static let mostPlaylists = 3
  package static let mostRequests = 16
  /// The time after which no further entry of a playlist is tried, in nanoseconds.
  private static let longest: Int64 = 10_000_000_000
  /// The bytes at the beginning that tell a playlist from a stream.
  private static let beginning = 512

  private let access: NetworkAccess
  private let subject: String
  private let patience: UInt64
  private let interrupt: LibavInterrupt

  /// - Parameters:
  ///   - subject: The name in messages.
  ///   - patience: Milliseconds within which each server must answer.
  package init(
    through access: NetworkAccess, subject: String, patience: UInt64,
    interrupt: LibavInterrupt
  ) {
    self.access = access
    self.subject = subject
    self.patience = patience
    self.interrupt = interrupt
  }

  /// Opens the stream at an address, or the first one of its playlist that answers. Returns it with its own address.
  package func open(
    _ address: MediaAddress
  ) throws(MediaFailure) -> (stream: Stream, address: MediaAddress) {
    var requests = 0
    let end = MonotonicClock.now + Self.longest
    return try open(address, depth: 0, requests: &requests, until: end)
  }

  private func open(
    _ address: MediaAddress, depth: Int, requests: inout Int, until end: Int64
  ) throws(MediaFailure) -> (stream: Stream, address: MediaAddress) {
    requests += 1
    interrupt.setDeadline(milliseconds: patience)
    let reader = try MediaReader(
      address, through: access, subject: subject, patience: patience, interrupt: interrupt)
    var document = try read(reader, atLeast: Self.beginning)
    let place = reader.address ?? address
    var kind = Playlist.kind(document, type: reader.type, path: place.path)
    if kind == .other {
      guard !Self.isWebPage(document) else { throw webPage }
      return (.bytes(reader, beginning: document), address)
    }
    document += try read(reader, atLeast: Playlist.longest - document.count)
    kind = Playlist.kind(document, type: reader.type, path: place.path)
    if kind == .hls { return (.hls, address) }
    guard depth < Self.mostPlaylists else {
      throw failure(
        "its playlists lead from one to another", "Give the address of the stream itself.")
    }
    var reason = failure("its playlist names no http or https address", "Check its \"url\".")
    for entry in Playlist.entries(document, kind: kind, at: place)
    where requests < Self.mostRequests && MonotonicClock.now < end {
      do throws(MediaFailure) {
        return try open(entry, depth: depth + 1, requests: &requests, until: end)
      } catch {
        if error.kind == .cancelled { throw error }
        reason = error
      }
    }
    throw reason
  }

  /// Reads until there are `count` bytes or the end has come.
  private func read(
    _ reader: MediaReader, atLeast count: Int
  ) throws(MediaFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: Self.beginning)
    while bytes.count < count {
      let code = chunk.withUnsafeMutableBufferPointer { chunk in
        chunk.baseAddress.map { reader.read(into: $0, chunk.count) } ?? LAV_EOF
      }
      if code == LAV_EOF { break }
      guard code > 0 else { throw reader.failure(code, doing: "reading the answer") }
      bytes += chunk.prefix(Int(code))
    }
    return bytes
  }

  private static func isWebPage(_ start: [UInt8]) -> Bool {
    let text = String(decoding: start.prefix(64), as: UTF8.self).lowercased()
      .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    return text.hasPrefix("<!doctype") || text.hasPrefix("<html")
  }

  private var webPage: MediaFailure {
    failure(
      "its address is that of an empty playlist or a web page",
      "Give the address of the stream or of its playlist.")
  }

  private func failure(_ detail: String, _ hint: String) -> MediaFailure {
    MediaFailure(.unreachable, subject: subject, detail: detail, hint: hint)
  }
}
