import JSON
import Validation

extension ConfigurationReader {
  /// Reads the rules for names, addresses and passwords; parts with an error are left out.
  mutating func readRuleSet(isDemo: Bool) -> RuleSet {
    let path: JSONPath = [.key("accounts"), .key("rules")]
    let rules = readRules(member("accounts")["rules"] ?? .object([:]), at: path)
    if !hasError(at: path) { checkPasswords(rules, isDemo: isDemo, at: path) }
    return rules
  }

  private mutating func readRules(_ json: JSON, at path: JSONPath) -> RuleSet {
    let preset = text("preset", of: json, at: path)
    var rules = RuleSet.presets.first { $0.name == preset } ?? .standard
    if let name = text("name", of: json, at: path) { rules.name = name }
    rules.version = json["version"]?.integer ?? rules.version
    for (name, field) in json["fields"]?.object ?? [:] {
      let place = path.appending("fields").appending(name)
      rules[FieldName(name)] = readField(field, over: rules[FieldName(name)], at: place)
    }
    return rules
  }

  private mutating func readField(
    _ json: JSON, over preset: FieldDeclaration, at path: JSONPath
  ) -> FieldDeclaration {
    var field = preset
    if let label = text("label", of: json, at: path) { field.label = label }
    if let message = json["message"] { field.message = (try? FieldMessage(message)) ?? .ofRules }
    if let rules = json["rules"]?.array {
      let place = path.appending("rules")
      guard rules.count <= Rule.mostOfField else {
        report(
          .reference, at: place, "expected at most \(Rule.mostOfField) rules, found \(rules.count)",
          hint: "All rules of a field are checked at every keystroke.")
        return field
      }
      field.rules = rules.enumerated().compactMap {
        readRule($0.element, of: field.name, at: place.appending($0.offset))
      }
    }
    return field
  }

  private mutating func readRule(
    _ json: JSON, of field: FieldName, at path: JSONPath
  ) -> Rule? {
    guard !isFull, !hasError(at: path) else { return nil }
    do {
      let rule = try Rule(json)
      checkQuestion(rule, of: field, at: path)
      return rule
    } catch {
      report(
        .reference, at: JSONPath(path.elements + error.path.elements), error.message,
        hint: error.hint)
      return nil
    }
  }

  /// Checks that the controller can answer the question for this field (C8).
  private mutating func checkQuestion(_ rule: Rule, of field: FieldName, at path: JSONPath) {
    guard case .asked(let text) = rule.check, let question = AnsweredQuestion(rawValue: text),
      question.field != field
    else { return }
    report(
      .reference, at: path.appending("question"),
      "the rule \"asked\" of \(field) asks \"\(text)\", which is about \(question.field)",
      hint: "Put it among the rules of \(question.field).")
  }

  // MARK: Passwords

  /// Outside of demonstrations the rules must refuse short passwords (C9).
  private mutating func checkPasswords(_ rules: RuleSet, isDemo: Bool, at path: JSONPath) {
    let password = rules[.password].rules
    if let (minimum, maximum) = PasswordPolicy.contradiction(in: password) {
      report(
        .reference, at: place(ofRules: "minLength", at: path),
        "no password has at least \(minimum) and at most \(maximum) characters",
        hint: "Change one of the two lengths.")
    }
    let minimum = PasswordPolicy.minimum(of: password)
    guard !isDemo, minimum < PasswordPolicy.lowestMinimum else { return }
    report(
      .reference, at: place(ofRules: "minLength", at: path),
      "passwords of \(minimum) characters would be accepted; outside of demonstrations they need at "
        + "least \(PasswordPolicy.lowestMinimum)",
      hint:
        "Demand \(PasswordPolicy.lowestMinimum) or more in a rule minLength without \"advice\", "
        + "or write \"demo\": true into \"accounts\" for a demonstration.")
  }

  /// The path of the first rule of this kind for passwords; otherwise of the nearest value that
  /// exists.
  private func place(ofRules kind: String, at path: JSONPath) -> JSONPath {
    let rules = path.appending("fields").appending("password").appending("rules")
    guard let written = member("accounts")["rules"]?["fields"]?["password"]?["rules"]?.array else {
      return path.appending("preset")
    }
    let index = written.firstIndex { $0["rule"]?.string == kind && $0["advice"]?.bool != true }
    return index.map { rules.appending($0).appending("length") } ?? rules
  }
}
