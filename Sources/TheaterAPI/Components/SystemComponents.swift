// What the routes for the controller itself answer, and the rules of forms.

extension Component {
  static let systemComponents = [
    validationRules, passwordBlocklist, questionAnswer, health, address, plugins,
    configurationCheck,
  ]

  /// The rules that a front end checks while a person types; see `docs/validation.md`.
  static let validationRules = Component(
    "ValidationRules",
    .object([
      "format": .integer(1...1),
      "rules": .object([
        "name": .text(1...64), "version": .count,
        "fields": .list(
          of: .object(
            [
              "name": .text(1...64), "label": .text(), "required": .boolean, "secret": .boolean,
              "rules": .list(of: .map(to: .anything)),
            ],
            optional: ["message": .anyOf([.text(), .boolean])])),
      ]),
    ]))

  static let passwordBlocklist = Component(
    "PasswordBlocklist", .object(["format": .integer(1...1), "entries": .list(of: .text())]))

  static let questionAnswer = Component("QuestionAnswer", .object(["answer": .boolean]))

  static let health = Component(
    "Health", .object(["status": .words(["ok"]), "pluginsUp": .boolean]))

  static let address = Component(
    "Address",
    .object(
      optional: [
        "address": .text(1...300),
        "fingerprint": .text(64...200).described("SHA-256 of the certificate."),
      ]))

  static let plugins = Component(
    "Plugins",
    .object([
      "plugins": .list(
        of: .object(
          [
            "id": .name, "version": .text(), "status": .text(1...100),
            "devices": .list(of: .name), "restarts": .count,
          ],
          optional: [
            "process": .name.described("The label of the process."), "pid": .count,
            "messages": .object(["sent": .count, "received": .count]),
            "memory": .count.described("The proportional share, in bytes."),
            "log": .list(of: .text()).described("The last lines, oldest first."),
            "message": .text(),
          ]))
    ]))

  static let configurationCheck = Component(
    "ConfigurationCheck",
    .object([
      "problems": .list(
        of: .object(
          [
            "kind": .text(1...64), "severity": .words(["error", "warning"]), "file": .text(),
            "message": .text(),
          ],
          optional: [
            "line": .count, "column": .count, "path": .text(), "hint": .text(),
          ]),
        count: 0...200)
    ]))
}
