import Validation

/// A password as a person typed it, normalised (NFKC), whole, and kept out of descriptions.
public struct Password: Sendable, Redacted {
  /// The bytes that are hashed: all of them, never a prefix.
  let bytes: [UInt8]
  /// The length that rules count (NIST SP 800-63B-4: code points after normalisation).
  public let codePoints: Int

  /// More bytes than this are refused before any work: no rule looks at more either.
  static let mostBytes = TypedText.mostBytes

  /// Normalises `typed`, so that the same password typed on two keyboards is the same.
  /// - Throws: `empty`, `tooLong` or `malformed`, with the field `password`.
  public init(_ typed: String) throws(AccountError) {
    guard !typed.isEmpty else { throw .empty(.password) }
    guard typed.utf8.count <= Self.mostBytes else {
      throw .tooLong(.password, limit: "\(Self.mostBytes) bytes")
    }
    guard TypedText.canBeNormalised(typed) else { throw .tooManyMarks(.password) }
    let normalised = typed.normalisedNFKC
    bytes = Array(normalised.utf8)
    codePoints = normalised.unicodeScalars.count
  }
}
