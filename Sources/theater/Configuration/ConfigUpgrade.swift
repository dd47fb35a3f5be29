import ArgumentParser
import Devices
import Glibc
import JSON
import PluginHost
import Platform
import TheaterConfiguration

/// `theater config upgrade [FILE]`.
struct ConfigUpgrade: ParsableCommand, LocalCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Give new names to devices, groups and parameters whose names are words of scenes.",
    discussion: """
      Without FILE the file of the running controller is changed, or else the installed one, or \
      else ./devices.json. Each name is written at every place that uses it; every other byte \
      stays.
      """)

  @Argument(
    help: "Another file, in place of the controller's.",
    completion: .file(extensions: ["json"]))
  var file: String?
  @Flag(name: .customLong("dry-run"), help: "Show the new names, and write nothing.")
  var isDryRun = false
  @OptionGroup var output: OutputOptions

  func run() throws {
    let paths = ApplicationPaths()
    let path = JudgedConfiguration(file, plugins: [], paths: paths).path
    let old = try Self.read(path, paths)
    let upgrade: ConfigurationUpgrade
    do throws(JSONSyntaxError) {
      upgrade = try ConfigurationUpgrade(old)
    } catch {
      throw ExitError(
        .failed, "\(path):\(error.position.line):\(error.position.column): \(error.message)",
        hint: error.hint)
    }
    let isWritten = !isDryRun && !upgrade.renames.isEmpty
    if isWritten { try Self.write(upgrade.text, in: path, replacing: old, paths) }
    try output.show(upgrade.json(of: path, isWritten: isWritten)) { _ in
      upgrade.text(for: path, isWritten: isWritten)
    }
  }

  private static func read(_ path: String, _ paths: ApplicationPaths) throws(ExitError) -> [UInt8] {
    do throws(InvalidConfiguration) {
      return try ConfigurationFile(path: path, home: paths.home).bytes
    } catch {
      throw ExitError(.failed, error.problems.map { "\($0)" }.joined(separator: "\n"))
    }
  }

  private static func write(
    _ text: [UInt8], in path: String, replacing old: [UInt8], _ paths: ApplicationPaths
  ) throws(ExitError) {
    let store = ConfigurationFileStore(name: path, plugins: [], paths: paths)
    guard access(path, W_OK) == 0 else {
      throw ExitError(
        .failed, "\(path) may not be written: \(SystemError(errno))",
        hint: "Run the command as the file's owner.")
    }
    do {
      try store.replace(old, with: text)
    } catch {
      throw ExitError(
        .failed, error.message, hint: "Check the disk, and who may write the file and its folder.")
    }
  }
}

extension ConfigurationUpgrade {
  /// The most places of one name that are shown.
  private static let mostPlaces = 100

  /// `{"file": …, "renames": [{"kind": "device", "name": "player", "to": "my-player", "places": […]}],
  /// "written": true}`.
  fileprivate func json(of file: String, isWritten: Bool) -> JSON {
    [
      "file": .string(file),
      "renames": .array(
        renames.map { rename in
          [
            "kind": .string(rename.reserved.kind.rawValue), "name": .string(rename.reserved.name),
            "to": .string(rename.name),
            "places": .array(rename.places.prefix(Self.mostPlaces).map { .string("\($0)") }),
          ]
        }),
      "written": .bool(isWritten),
    ]
  }

  fileprivate func text(for file: String, isWritten: Bool) -> String {
    guard !renames.isEmpty else { return "\(file) needs no new names." }
    let lines = renames.map { rename in
      let reserved = rename.reserved
      let places = rename.places.prefix(Self.mostPlaces).map { "\n    \($0)" }.joined()
      let rest = rename.places.count - Self.mostPlaces
      return "\(reserved.kind.rawValue) \(reserved.name) → \(rename.name)\(places)"
        + (rest > 0 ? "\n    and \(rest) more places" : "")
        + (reserved.isWordOfSteps
          ? "\n    Steps that command it look like the word \(reserved.name): change them by hand."
          : "")
    }
    let last = isWritten ? "\(file) is written." : "Nothing is written."
    return (lines + [last]).joined(separator: "\n")
  }
}
