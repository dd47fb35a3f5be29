import ArgumentParser

/// The check of a name on the command line that becomes a part of a request's path.
enum NameArgument {
  /// Throws a validation error if the name is empty, such as that of a shell's unset variable. The path would be that
  /// of another route.
  ///
  /// - Parameter what: The named thing: "a device".
  static func requireText(_ name: String, _ what: String) throws(ValidationError) {
    guard !name.allSatisfy(\.isWhitespace) else {
      throw ValidationError("Give the name of \(what): it is empty.")
    }
  }

  /// Throws a validation error if the address of an account is empty.
  static func requireAddress(_ email: String) throws(ValidationError) {
    guard !email.allSatisfy(\.isWhitespace) else {
      throw ValidationError("Give the address of an account: it is empty.")
    }
  }
}
