import Foundation
import JSON
import Platform
import Validation

/// The texts that the terminal shares with the page, read from the page's files of a language.
///
/// English is compiled in: it is shown where a text, a file or the language is missing.
struct Texts: Sendable {
  /// The texts in the language of this process.
  static let current = Texts(
    language: language(of: ProcessInfo.processInfo.environment),
    folder: folder(ofSite: ApplicationPaths().site))
  /// The languages beside English.
  private static let languages: Set = ["uk", "ru"]
  private static let largestFile = 1 << 20

  private var texts: [String: String] = [:]

  /// Reads the file of a language: groups of texts by the part of the key before the point. There are no texts for
  /// English, and if the file cannot be read.
  ///
  /// - Parameter folder: The folder with the page's files of texts.
  init(language: String?, folder: String) {
    guard let language, Self.languages.contains(language),
      let file = try? FileHandle(
        forReadingFrom: URL(fileURLWithPath: "\(folder)/\(language).json")),
      let data = try? file.read(upToCount: Self.largestFile),
      let groups = (try? JSON(parsing: Array(data)))?.object
    else { return }
    for (group, members) in groups {
      for (name, text) in members.object ?? [:] { texts["\(group).\(name)"] = text.string }
    }
  }

  /// Returns the folder of the texts in a staged page: `page/HASH/text`.
  static func folder(ofSite site: String) -> String {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "\(site)/page")) ?? []
    return "\(site)/page/\(versions.first ?? "")/text"
  }

  /// The language that POSIX's variables name: `uk` for `uk_UA.UTF-8`; nil for others than UTF-8.
  static func language(of environment: [String: String]) -> String? {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
    guard let locale = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty })
    else { return nil }
    let parts = locale.lowercased().split(separator: ".", maxSplits: 1)
    guard let name = parts.first, let encoding = parts.dropFirst().first,
      encoding.hasPrefix("utf-8") || encoding.hasPrefix("utf8")
    else { return nil }
    return name.split(separator: "_").first.map(String.init)
  }

  /// Returns the text of a key, with the values of its placeholders.
  ///
  /// - Parameter english: The text where the language has none.
  func callAsFunction(
    _ key: String, _ english: String, _ values: [String: String] = [:]
  ) -> String {
    values.reduce(texts[key] ?? english) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  /// Returns the name of a field in sentences.
  func label(of field: FieldDeclaration) -> String {
    self("rule.field.\(field.name)", field.label)
  }

  /// Returns the rules with their labels, statements and messages in this language. Words that the
  /// configuration gives stay.
  func worded(_ rules: RuleSet) -> RuleSet {
    var rules = rules
    rules.fields = rules.fields.map(worded)
    return rules
  }

  /// Returns a field with its label, statements and messages in this language.
  func worded(_ field: FieldDeclaration) -> FieldDeclaration {
    var field = field
    field.label = label(of: field)
    if let message = texts["rule.field.\(field.name).fix"] { field.message = .text(message) }
    field.rules = field.rules.map { rule in
      var rule = rule
      rule.statement = rule.statement ?? texts["rule.\(rule.check.name)"]
      rule.message = rule.message ?? texts["rule.\(rule.check.name).fix"]
      return rule
    }
    return field
  }
}
