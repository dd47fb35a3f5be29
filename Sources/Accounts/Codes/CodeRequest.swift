/// What a one-time code is good for. A code for one purpose opens nothing else.
package enum CodePurpose: String, Sendable, CaseIterable {
  case verifyEmail, verifyPhone, resetPassword, logIn
}

/// The identity of the request for which a code was sent: 128 random bits. A code is good together
/// with its request alone, so that who asked is who answers.
package struct CodeRequestID: Hashable, Sendable {
  package let text: String

  /// Takes what a front end or a store hands over.
  package init(_ text: String) {
    self.text = text
  }

  init(from random: RandomSource) {
    text = random.hexadecimal(bytes: 16)
  }
}

/// What is told to who asked for a code; the same whether or not anybody was there to get it.
package struct CodeRequest: Hashable, Sendable {
  /// To be handed in with the code.
  package let id: CodeRequestID
  /// How many digits the code has.
  package let digits: Int
  /// How long it is good.
  package let validity: Duration
  /// How long until another can be asked for.
  package let resendWait: Duration
}
