// The components of responses about the controller, and the rules of forms.

import Devices

extension Component {
  static let systemComponents = [
    validationRules, passwordBlocklist, questionAnswer, health, address, plugins,
    configurationProblem, configurationCheck, configurationDifference, configurationFile,
    savedConfiguration, doctorReport, discovery, pluginSwap, refusedEdit,
    configurationEvent,
  ]

  /// The rules that a front end checks while a person types; see `docs/validation.md`.
  static let validationRules = Component(
    "ValidationRules",
    .object([
      "format": .integer(1...1),
      "rules": .object([
        "name": .text(1...64), "version": .count,
        "fields": .list(of: .object(fieldMembers, optional: fieldOptions)),
      ]),
      "forms": .list(
        of: .object([
          "name": .text(1...64),
          "fields": .list(
            of: .object(fieldMembers, optional: fieldOptions + ["kind": fieldKind])),
          "groups": .list(
            of: .object([
              "name": .text(1...64), "fields": .list(of: .text(1...64)),
              "controls": .list(of: .text(1...64)),
            ])),
        ])),
    ]))

  private static let fieldMembers: Schema.Members = [
    "name": .text(1...64), "label": .text(), "required": .boolean, "secret": .boolean,
    "rules": .list(of: .map(to: .anything)),
  ]
  private static let fieldOptions: Schema.Members = ["message": .anyOf([.text(), .boolean])]
  private static let fieldKind = Schema.anyOf([
    .words(["toggle"]), .object(["choice": .list(of: .text())]),
    .object(["number": .object(["from": .number(0...1_000_000), "to": .number(0...1_000_000)])]),
  ]).described("The kind of its value; missing for a text.")

  static let passwordBlocklist = Component(
    "PasswordBlocklist", .object(["format": .integer(1...1), "entries": .list(of: .text())]))

  static let questionAnswer = Component("QuestionAnswer", .object(["answer": .boolean]))

  static let health = Component(
    "Health",
    .object([
      "status": .words(["ok"]), "pluginsUp": .boolean,
      "needsOwner": .boolean.described(
        "Whether the setup code of the controller's console still admits the first owner."),
      "delivers": .list(of: .words(["email", "sms"])).described(
        "The channels through which one-time codes are sent."),
    ]))

  static let address = Component(
    "Address",
    .object(
      optional: [
        "address": .text(1...300),
        "fingerprint": .text(64...200).described(
          "SHA-256 of the certificate, as browsers show it: `AB:CD:…`."),
        "selfSigned": .boolean.described(
          "Whether the controller made the certificate. Then browsers warn at the first visit, and people "
            + "compare the fingerprint."),
        "certificateExpires": .time,
      ]))

  static let plugins = Component(
    "Plugins",
    .object([
      "plugins": .list(
        of: .object(
          [
            "id": .name, "version": .text(), "status": .text(1...100),
            "roles": .list(of: .words(Role.allCases.map(\.rawValue))).described(
              "The roles of its manifest: a device of one of them can be swapped to this plugin. "
                + "Empty if the plugin cannot be used."),
            "devices": .list(of: .name), "restarts": .count,
          ],
          optional: [
            "process": .name.described("The label of the process."), "pid": .count,
            "messages": .object(["sent": .count, "received": .count]),
            "memory": .count.described(
              "The proportional set size (PSS), in bytes; else the resident size."),
            "log": .list(of: .text()).described("The last lines, oldest first."),
            "message": .text(),
          ]))
    ]))

  static let configurationProblem = Component(
    "ConfigurationProblem",
    .object(
      [
        "kind": .text(1...64), "severity": .words(["error", "warning"]), "file": .text(),
        "message": .text(),
      ],
      optional: [
        "line": .count, "column": .count, "path": .text(), "hint": .text(),
      ]))

  static let configurationCheck = Component(
    "ConfigurationCheck", .object(["problems": problems]))

  /// The names of entries and keys that differ, never their values.
  static let configurationDifference = Component(
    "ConfigurationDifference",
    .object([
      "problems": problems,
      "changes": changes.described("Empty if the configuration has errors."),
    ]))

  static let configurationFile = Component(
    "ConfigurationFile",
    .object([
      "text": .text(), "hash": .contentHash.described("It is also the header `ETag`."),
    ]))

  static let savedConfiguration = Component(
    "SavedConfiguration",
    .object([
      "hash": .contentHash.described("The new version."),
      "problems": problems.described("Only warnings."), "changes": changes,
    ]))

  static let doctorReport = Component(
    "DoctorReport",
    .object([
      "checks": .list(
        of: .object(
          [
            "name": .text(1...200), "status": .words(["ok", "warning", "failed"]),
            "message": .text(),
          ],
          optional: ["hint": .text().described("The command or action that fixes it.")]))
    ]))

  static let discovery = Component(
    "Discovery",
    .object([
      "findings": .list(
        of: .object([
          "kind": .words(DiscoveryWords.kinds),
          "id": .text(1...600).described("The same in each search."),
          "title": .text(), "place": .text().described("Where it was found."), "plugin": .name,
          "roles": .list(of: .words(Role.allCases.map(\.rawValue)), count: 1...8).described(
            "The likeliest first."),
          "notes": .list(of: .text()).described("What a person should know before it is used."),
          "entries": .map(
            to: .object([
              "role": .words(Role.allCases.map(\.rawValue)), "plugin": .name,
              "options": .map(to: .anything),
            ])
          ).described("The entry of a device for `devices.json`, by role."),
        ]), count: 0...600),
      "problems": .list(of: .text()).described(
        "The reasons why a search may be incomplete, as sentences for people."),
    ]))

  static let pluginSwap = Component(
    "PluginSwap",
    .object([
      "device": .name, "plugin": .name, "saved": .boolean,
      "changes": changes.described("Empty if the device had this plugin already."),
    ]))

  static let refusedEdit = Component(
    "RefusedEdit",
    .object(["errors": .count], optional: ["problem": .reference(configurationProblem)]))

  /// A new configuration is in force, or an edit of `devices.json` was refused.
  static let configurationEvent = Component(
    "ConfigurationEvent",
    .object([
      "status": .words(["applied", "refused"]),
      "changed": .list(of: .name).described("Devices that are new, or have another role."),
      "removed": .list(of: .name),
    ]))

  static let problems = Schema.list(
    of: .reference(configurationProblem), count: 0...201)

  private static let changes = Schema.list(
    of: .object(
      [
        "kind": .words(["added", "removed", "changed"]), "section": .text(1...64),
        "keys": .list(of: .text()),
        "live": .boolean.described("Whether it is applied at once; otherwise at the next start."),
      ],
      optional: ["name": .text()]))
}

extension Schema {
  /// SHA-256 in hexadecimal digits.
  fileprivate static let contentHash = Schema.text(64...64, pattern: "^[0-9a-f]{64}$")
}
