import Glibc
import Platform

/// A file with one secret that only this user can read.
struct TokenFile: Sendable {
  let path: String
  /// Whether a person wrote the file, so that no login replaces it.
  private let isGiven: Bool

  init(_ path: String, isGiven: Bool = false) { (self.path, self.isGiven) = (path, isGiven) }

  /// The largest size of a secret with white space around it, in bytes.
  private static let longest = 256

  /// Reads the secret; `nil` without a file, or from an empty one.
  func read() throws(ExitError) -> String? {
    let bytes: [UInt8]
    do throws(PrivateFile.Failure) {
      guard let read = try PrivateFile.read(path, atMost: Self.longest) else { return nil }
      bytes = read
    } catch {
      switch error {
      case .unusable(let what): throw invalidFile(what)
      case .unreadable(let cause):
        throw ExitError(
          .failed, "cannot read \(path): \(cause)",
          hint: "Check that it belongs to you: ls -l \(path)")
      }
    }
    if bytes.allSatisfy(Self.isSpace) { return nil }
    // Other content must not be sent.
    guard let word = Self.word(in: isGiven ? Self.withoutHeader(bytes) : bytes[...]) else {
      throw invalidFile("holds no token")
    }
    return word
  }

  /// The bytes behind `Authorization: Bearer`, as in a file for `curl -H @FILE`; all bytes without it.
  private static func withoutHeader(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    let header = Array("authorization: bearer ".utf8)
    let start = bytes.prefix(header.count)
    // A letter's lower case differs by this bit.
    return start.map({ $0 | 0x20 }).elementsEqual(header)
      ? bytes.dropFirst(header.count) : bytes[...]
  }

  /// The only word of a text, if it can be a token.
  static func word(in bytes: ArraySlice<UInt8>) -> String? {
    let words = bytes.split(whereSeparator: isSpace)
    guard let word = words.first, words.count == 1, bytes.count <= longest,
      word.allSatisfy(isSymbol)
    else { return nil }
    return String(decoding: word, as: UTF8.self)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }

  /// base64url (RFC 4648, section 5).
  private static func isSymbol(_ byte: UInt8) -> Bool {
    switch UnicodeScalar(byte) {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_": true
    default: false
    }
  }

  private func invalidFile(_ what: String) -> ExitError {
    isGiven
      ? ExitError(
        .wrongUsage, "\(path) \(what)",
        hint: "Write the token, and nothing else, into a file that only you can read: "
          + "chmod 600 \(path)")
      : ExitError(
        .notLoggedIn, "\(path) \(what)",
        hint: "Remove it and log in again: rm -r \(path); \(ProgramName.name) login")
  }

  /// Writes a secret, completely or not at all.
  func write(_ token: String) throws(ExitError) {
    try ApplicationPaths.make(
      privately: String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    do throws(SystemError) {
      try PrivateFile.write(Array((token + "\n").utf8), to: path)
    } catch {
      throw ExitError(
        .failed, "cannot write \(path): \(error)",
        hint: "Check that the folder belongs to you and that its disk has room.")
    }
  }

  /// Removes the file.
  func remove() { unlink(path) }
}
