/// What a controller answers where a rule `asked` asks (C8). A rule set with another question is no
/// rule set of a controller: nobody would ever answer.
package enum AnsweredQuestion: String, Hashable, Sendable, CaseIterable {
  /// Whether no account has this e-mail address; told only to who may register.
  case emailFree

  /// The field about whose text it is asked.
  package var field: FieldName {
    switch self {
    case .emailFree: .email
    }
  }
}
