import ArgumentParser
import Devices
import Foundation
import JSON
import PluginProtocol

/// `theater plugin new NAME --role ROLE`: makes a folder with a working plugin and its test.
struct PluginNew: ParsableCommand, LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "new", abstract: "Make a plugin to begin with.",
    discussion: """
      Makes a folder with a program, its manifest and a test. The program has every command that \
      each device of the role has, and passes `theater plugin check`.
      """)

  @Argument(help: "The plugin's name: a letter, then at most 63 letters, digits, \"-\" and \"_\".")
  var name: String
  @Option(
    help: ArgumentHelp(
      "The role of its devices: \(Role.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "ROLE"),
    completion: .list(Role.allCases.map(\.rawValue)))
  var role: String
  @Option(help: "The language of the program: \(PluginTemplate.Language.list).")
  var language: PluginTemplate.Language = .python
  @Option(
    help: ArgumentHelp("The folder in which the plugin's folder is made.", valueName: "FOLDER"),
    completion: .directory)
  var into = "."
  @Option(
    help: ArgumentHelp(
      "For swift: the path of this project's sources, or their Git URL.", valueName: "PATH"))
  var package: String?
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard Self.isValid(name) else {
      throw ValidationError(
        "\"\(name.prefix(80))\" cannot be a plugin's name: it begins with a letter and has at most "
          + "64 letters, digits, \"-\" and \"_\".")
    }
    if language == .swift, package == nil {
      throw ValidationError(
        "A plugin in Swift needs PluginKit: name this project's sources with --package, as a path "
          + "or a Git URL.")
    }
  }

  /// Returns whether a name can be the id of a manifest and the beginning of an identifier.
  private static func isValid(_ name: String) -> Bool {
    name.utf8.count <= 64 && name.first.map { $0.isASCII && $0.isLetter } == true
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
  }

  func run() throws {
    let role = try RoleArgument.read(role)
    if language == .swift, let package { try PluginPlaceholders.checkPackage(package) }
    let folder = URL(filePath: into).appending(path: name).path
    let template = PluginTemplate(language, folder: ApplicationPaths().pluginTemplates)
    let placeholders = try PluginPlaceholders(
      name: name, role: role, language: language, package: package)
    try template.write(to: folder, replacing: placeholders.values)
    output.confirm(
      "Made \(folder).\nNext: \(language.testCommand) in it, then "
        + "\(ProgramName.name) plugin check \(folder)", ["folder": .string(folder)])
  }
}

/// The files of a new plugin, with placeholders such as `__ROLE__`.
struct PluginTemplate {
  /// The language of a new plugin's program.
  enum Language: String, CaseIterable, ExpressibleByArgument {
    case swift, python, c

    static let list = allCases.map(\.rawValue).joined(separator: ", ")

    /// The command that builds the plugin, if necessary, and runs its test.
    var testCommand: String {
      switch self {
      case .swift: "swift build && ln -sf .build/debug/Plugin plugin && swift test"
      case .python: "python3 -m unittest"
      case .c: "make test"
      }
    }
  }

  private let folder: String

  /// - Parameter folder: The folder that has a subfolder for each language.
  init(_ language: Language, folder: String) { self.folder = "\(folder)/\(language.rawValue)" }

  /// Writes the files into a new folder.
  ///
  /// - Parameter values: The replacements of the placeholders in the files' texts.
  /// - Throws: `ExitError` if the folder exists or a file cannot be read or written.
  func write(to target: String, replacing values: [String: String]) throws(ExitError) {
    let files = FileManager.default
    guard !files.fileExists(atPath: target) else {
      throw ExitError(
        .failed, "\(target) exists already", hint: "Choose another name, or another --into.")
    }
    // The template folder beside the built program is a link, which the enumerator does not follow.
    let source = URL(filePath: folder).resolvingSymlinksInPath().path
    guard let names = files.enumerator(atPath: source)?.compactMap({ $0 as? String }),
      !names.isEmpty
    else {
      throw ExitError(
        .failed, "the templates are missing at \(folder)", hint: "Install the theater again.")
    }
    do {
      try files.createDirectory(atPath: target, withIntermediateDirectories: true)
      for name in names.sorted() {
        try Self.copy("\(source)/\(name)", to: "\(target)/\(Self.name(of: name))", values)
      }
    } catch {
      throw ExitError(.failed, "\(target) cannot be made: \(error.localizedDescription)")
    }
  }

  /// Returns the name of a new file. The template of `.gitignore` is named `gitignore`, so that git does not
  /// apply it to the templates.
  private static func name(of file: String) -> String { file == "gitignore" ? ".gitignore" : file }

  private static func copy(_ source: String, to target: String, _ values: [String: String]) throws {
    let files = FileManager.default
    var isFolder: ObjCBool = false
    guard files.fileExists(atPath: source, isDirectory: &isFolder) else { return }
    if isFolder.boolValue {
      try files.createDirectory(atPath: target, withIntermediateDirectories: true)
      return
    }
    let text = try String(contentsOfFile: source, encoding: .utf8)
    // Replaced in one pass, because a replacement may contain text that looks like a placeholder.
    let replaced = text.replacing(/__([A-Z]+(?:_[A-Z]+)*)__/) { match in
      values[String(match.1)].map { $0[...] } ?? match.0
    }
    try replaced.write(toFile: target, atomically: false, encoding: .utf8)
    let isProgram = files.isExecutableFile(atPath: source)
    try files.setAttributes(
      [.posixPermissions: isProgram ? 0o755 : 0o644], ofItemAtPath: target)
  }
}
