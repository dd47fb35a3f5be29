extension AccountMessage {
  /// The message that carries a code.
  init(_ code: OneTimeCode, to destination: CodeDestination, for purpose: CodePurpose) {
    self.init(
      destination: destination, subject: "Your code for the home theater",
      text: "\(code.text) is your code to \(purpose.words). It is good once, for ten minutes. "
        + "If you did not ask for it, do nothing.")
  }
}

extension CodePurpose {
  /// What a person does with it: "a code to …".
  fileprivate var words: String {
    switch self {
    case .verifyEmail: "confirm this e-mail address"
    case .verifyPhone: "confirm this number"
    case .resetPassword: "set a new password"
    case .logIn: "log in to the home theater"
    }
  }
}
