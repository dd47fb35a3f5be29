/// The questions of rules `asked` that a controller answers (C8). A configuration with another question
/// is refused.
package enum AnsweredQuestion: String, Hashable, Sendable, CaseIterable {
  /// Whether no account has this e-mail address; answered only for holders of a code.
  case emailFree

  /// The field of the question.
  package var field: FieldName {
    switch self {
    case .emailFree: .email
    }
  }
}
