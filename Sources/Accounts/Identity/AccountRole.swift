/// What a person may do, by a word; which permissions it stands for is said in one place, where
/// commands and routes are known. An unknown one is refused, never guessed.
package enum AccountRole: String, Sendable, Codable, CaseIterable {
  /// The person whose theater it is: everything, other people's accounts included.
  case owner
  /// A person of the household: everything but that.
  case member
  /// Who came with a guest pass, for a while: what the pass says. No account has this role.
  case guest
}
