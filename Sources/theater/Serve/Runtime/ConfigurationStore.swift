import Devices
import Platform
import TheaterConfiguration
import TheaterLoader

/// Reads, validates and writes the configuration that the runtime holds.
protocol ConfigurationStore: Sendable {
  /// The file's path, for people.
  var name: String { get }
  /// Returns the current text.
  func read() throws(InvalidConfiguration) -> [UInt8]
  /// Validates a text that would replace the current one.
  func validate(_ text: [UInt8]) throws(InvalidConfiguration) -> LoadedConfiguration
  /// Validates a text from elsewhere, with the plugins of the configuration in force. Reads no file
  /// that the text names.
  func check(
    _ text: [UInt8], with current: LoadedConfiguration
  ) throws(InvalidConfiguration) -> TheaterConfiguration
  /// Replaces the text, completely or not at all. Throws if it is not `old` any more.
  func replace(_ old: [UInt8], with new: [UInt8]) throws(TheaterError)
}

/// The configuration in a file.
struct ConfigurationFileStore: ConfigurationStore {
  let name: String
  /// The plugin folders from the command line.
  let plugins: [String]
  let paths: ApplicationPaths

  func read() throws(InvalidConfiguration) -> [UInt8] {
    try ConfigurationFile(path: name, home: paths.home).bytes
  }

  func validate(_ text: [UInt8]) throws(InvalidConfiguration) -> LoadedConfiguration {
    try LoadedConfiguration(
      ConfigurationFile(path: name, with: text, home: paths.home), plugins: plugins, paths: paths)
  }

  func check(
    _ text: [UInt8], with current: LoadedConfiguration
  ) throws(InvalidConfiguration) -> TheaterConfiguration {
    try current.check(text, secrets: paths.secretFolders)
  }

  func replace(_ old: [UInt8], with new: [UInt8]) throws(TheaterError) {
    guard (try? read()) == old else {
      throw TheaterError(
        .notNow, "\(name) was edited at the same moment; nothing was changed", hint: "Try again.")
    }
    do throws(SystemError) {
      try RegularFile.replace(name, with: new)
    } catch {
      throw TheaterError(
        .notNow, "\(name) cannot be saved: \(error)",
        hint: "Check the disk and who may write in its folder, or swap without saving.")
    }
  }
}
