import Devices
import Discovery
import JSON
import TheaterConfiguration

/// The devices of a configuration, after which the entries of findings are named.
struct ConfiguredDevices {
  private struct Entry {
    let name: String
    let role: Role
    let members: JSONObject

    var isSimulated: Bool { members["plugin"]?.string == "Simulated" }
  }

  private let entries: [Entry]
  /// Every name, also of a device with an unknown role.
  private let names: Set<String>

  /// Reads the devices of a file, also of one with mistakes; none if it is not JSON.
  init(in store: any ConfigurationStore) {
    let json = (try? store.read()).flatMap { try? JSON(parsing: $0) }
    self.init(json?["devices"]?.object ?? [:])
  }

  /// - Parameter devices: The section `devices` of a configuration.
  init(_ devices: JSONObject) {
    names = Set(devices.map(\.key))
    entries = devices.compactMap { name, entry in
      guard let members = entry.object, let role = members["role"]?.string.flatMap(Role.init)
      else { return nil }
      return Entry(name: name, role: role, members: members)
    }
  }

  /// Returns the role for which a finding is shown: that of the device which is this finding already,
  /// else the likeliest one of which there is a device, else the likeliest one.
  func role(of finding: DiscoveryFinding) -> Role? {
    finding.roles.first { role in entries.contains { isPresent(finding, in: $0, for: role) } }
      ?? finding.roles.first { role in entries.contains { $0.role == role } }
      ?? finding.roles.first
  }

  /// Returns the name of a finding's entry: that of the device which is this finding already, else of a
  /// simulated device of the role, else of any, else the role's own name, if it is free.
  func name(of finding: DiscoveryFinding, for role: Role) -> String {
    let ofRole = entries.filter { $0.role == role }
    let found =
      ofRole.first { isPresent(finding, in: $0, for: role) } ?? ofRole.first(where: \.isSimulated)
      ?? ofRole.first
    return found?.name ?? freeName(role.rawValue)
  }

  private func isPresent(_ finding: DiscoveryFinding, in entry: Entry, for role: Role) -> Bool {
    entry.role == role && finding.isPresent(in: entry.members, for: role)
  }

  private func freeName(_ name: String) -> String {
    guard names.contains(name) else { return name }
    let numbers = 2...(names.count + 2)
    return numbers.lazy.map { "\(name)\($0)" }.first { !names.contains($0) } ?? name
  }
}
