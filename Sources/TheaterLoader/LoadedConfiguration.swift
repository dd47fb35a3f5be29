import PluginHost
import PluginProtocol
import TheaterConfiguration

/// A valid configuration with the catalogue of its plugins.
package struct LoadedConfiguration: Sendable {
  package var configuration: TheaterConfiguration
  package let catalogue: PluginCatalogue
  /// The base of its relative paths.
  package let origin: PathOrigin

  package init(
    _ configuration: TheaterConfiguration, catalogue: PluginCatalogue, origin: PathOrigin
  ) {
    self.configuration = configuration
    self.catalogue = catalogue
    self.origin = origin
  }

  /// Validates the text of a file, with the manifests of the plugins.
  ///
  /// - Parameters:
  ///   - first: Plugin folders that are searched before those of the file.
  ///   - last: Plugin folders that are searched after them.
  ///   - secrets: The values of `{"secret": "name"}` in options.
  ///   - checksFolders: Whether missing folders are warnings.
  package init(
    _ file: ConfigurationFile, searching first: [String] = [], andLast last: [String] = [],
    secrets: any SecretSource, checksFolders: Bool = false
  ) throws(InvalidConfiguration) {
    origin = file.origin
    catalogue = PluginCatalogue(folders: first + file.pluginFolders + last)
    configuration = try file.configuration(
      plugins: KnownPlugins(catalogue), secrets: secrets, checksFolders: checksFolders)
  }

  /// Validates another text with the same plugins and the same base of relative paths.
  package func check(
    _ text: [UInt8], secrets: any SecretSource
  ) throws(InvalidConfiguration) -> TheaterConfiguration {
    try .read(
      text, named: "devices.json", from: origin, plugins: KnownPlugins(catalogue),
      secrets: secrets)
  }

  /// The devices for the plugin host, with the texts of their secrets.
  package var hostedDevices: [HostedDevice] {
    configuration.devices.map {
      HostedDevice(
        id: $0.id, role: $0.role, plugin: $0.plugin, options: $0.options.revealed(),
        process: $0.process, secrets: $0.options.revealedSecrets())
    }
  }
}

extension KnownPlugins {
  /// The plugins of a catalogue; the unusable ones count as faulty.
  package init(_ catalogue: PluginCatalogue) {
    var faults: [String: String] = [:]
    for problem in catalogue.problems {
      // …/NAME/manifest.json
      let parts = problem.path.split(separator: "/")
      guard let name = parts.dropLast().last.map(String.init), catalogue[name] == nil else {
        continue
      }
      faults[name] = problem.description
    }
    self.init(catalogue.plugins.map(\.manifest), faults: faults)
  }
}
