/// What an account may do. The next roles come as further cases; an unknown one is refused, never
/// guessed.
package enum Role: String, Sendable, Codable, CaseIterable {
  /// The person whose theater it is: everything, inviting included.
  case owner
  /// A person of the household: everything but inviting.
  case member
}
