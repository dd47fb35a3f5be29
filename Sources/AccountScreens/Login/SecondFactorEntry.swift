/// The field that takes the code of a second factor: six digits of an app, or a recovery code.
struct SecondFactorEntry: Sendable {
  /// Of a code of an app (RFC 6238, as every app makes them).
  private static let digits = 6

  /// What the field holds.
  private(set) var text = ""
  private var entry = CodeEntry(length: Self.digits)

  /// What is handed in.
  var code: String { text.filter { !$0.isWhitespace } }

  /// Takes what the field holds now.
  /// - Returns: Whether that has become a whole code of an app; what else is accepted in its place
  ///   has no length.
  mutating func type(_ typed: String) -> Bool {
    text = typed
    return entry.type(typed) && entry.isWhole
  }

  mutating func clear() {
    text = ""
    entry.clear()
  }
}
