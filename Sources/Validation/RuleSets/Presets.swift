extension RuleSet {
  /// The predefined rule sets (C9). `seed-a`, `seed-c` and `seed-e` are for demonstration.
  public static let presets = [standard, seedA, seedC, seedE]

  /// NIST SP 800-63B-4 and OWASP ASVS 5: a password must be long and not common; upper-case
  /// letters, digits and symbols are advice.
  public static let standard = preset(
    "standard",
    password: [
      Rule(.minLength(15, withSecondFactor: 8)), Rule(.maxLength(256)), Rule(.notInBlocklist),
      Rule(.noPersonalWords([.name, .email])), Rule(.upperCase).asAdvice, Rule(.digit).asAdvice,
      Rule(.symbol).asAdvice,
    ])

  /// At least 8 characters, a digit, a special character.
  public static let seedA = preset(
    "seed-a", password: [Rule(.minLength(8)), Rule(.digit), Rule(.symbol)])

  /// Not empty, longer than 3, a symbol, an upper-case letter.
  public static let seedC = preset(
    "seed-c", password: [Rule(.notEmpty), Rule(.minLength(4)), Rule(.symbol), Rule(.upperCase)])

  /// Not empty, typed twice.
  public static let seedE = preset("seed-e", password: [Rule(.notEmpty)])

  /// A preset with these rules for passwords; the other fields are the same in all presets.
  private static func preset(_ name: String, password: [Rule]) -> RuleSet {
    RuleSet(
      name,
      fields: [
        FieldDeclaration(.name, rules: [Rule(.notEmpty), Rule(.maxLength(100))]),
        FieldDeclaration(.email, label: "e-mail address", rules: [Rule(.email)]),
        FieldDeclaration(.phone, label: "phone number", isRequired: false, rules: [Rule(.phone)]),
        FieldDeclaration(.password, isSecret: true, rules: password),
        FieldDeclaration(
          .passwordAgain, label: "repetition", isSecret: true, rules: [Rule(.equals(.password))]),
      ])
  }
}
