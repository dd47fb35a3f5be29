import Devices
import Foundation
import JSON
import PluginProtocol
import Testing

@Suite("F1 · a plugin keeps to the limits and to the states of its roles", .timeLimit(.minutes(3)))
struct LimitTests {
  @Test(
    "F1 E15 · reports only keys and values of its role, and texts within limits, after any command",
    arguments: RoleUnderTest.all)
  func reports(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      var said = try await client.open("a", role, music: Self.music).before
      let items = try await client.catalogue(of: "a", folder: nil)
      #expect(items.allSatisfy { $0.bounded == $0 })
      for command in Self.commands(of: role.role, items: items) {
        let (result, before) = try await client.perform("a", command)
        said += before
        if let error = result.error {
          #expect(error == error.bounded, "\(command)")
        }
      }
      try await client.ask(PingRequest())
      Self.check(said, of: role.role)
    }
  }

  @Test(
    "F1 E9 · the catalogue of a folder keeps to the limits", arguments: RoleUnderTest.all)
  func catalogue(_ role: RoleUnderTest) async throws {
    try await PluginProcess.run(role.plugin) { client in
      _ = try await client.open("a", role, music: Self.music).result.get()
      let items = try await client.catalogue(of: "a", folder: Self.music)
      #expect(items.allSatisfy { $0.bounded == $0 && $0.id.isStreamSafe })
      let size = items.reduce(0) { $0 + $1.byteCount }
      #expect(items.count <= ProtocolLimits.catalogueItems && size <= ProtocolLimits.catalogueBytes)
    }
  }

  private static let music = ProjectFolder.root.appending(path: "Samples/Music").path

  /// Each command of the role, with each end of its range or something that there is; `on` first.
  private static func commands(of role: Role, items: [CatalogueItem]) -> [JSON] {
    let commands = role.commands.flatMap { spec -> [JSON] in
      guard let argument = spec.argument else { return [.string(spec.name)] }
      let plain: [JSON] = argument.isRequired ? [] : [.string(spec.name)]
      switch argument.shape {
      case .integer(let range, _):
        return plain + [range.lowerBound, range.upperBound].map { [spec.name: .integer($0)] }
      case .number(let range, _):
        return plain + [range.lowerBound, range.upperBound].map { [spec.name: .number($0)] }
      case .text:
        return plain + (items.prefix(2).map(\.id) + ["dvd"]).map { [spec.name: .string($0)] }
      case .fields:
        return plain + items.prefix(2).map { [spec.name: ["item": .string($0.id)]] }
      }
    }
    return commands.filter { $0 != "off" } + commands.filter { $0 == "off" }
  }

  private static func check(_ messages: [RPCMessage], of role: Role) {
    var attributes: [String: Attribute] = [:]
    for message in messages {
      guard case .notification(let method, let params) = message else { continue }
      #expect(message.line().count <= ProtocolLimits.longestLine)
      if method == LogNotification.method {
        let text = params["message"]?.string ?? ""
        #expect(text.utf8.count <= ProtocolLimits.logMessage)
      }
      guard method == StateNotification.method, let state = StateNotification(params: params)
      else { continue }
      let names = params["state"]?.object?.keys ?? []
      #expect(Set(names).isSubset(of: role.stateKeys.map(\.rawValue)))
      for (key, value) in state.values { #expect(key.shape.admits(value), "\(key) \(value)") }
      if let playback = state.values[.playback].flatMap(Playback.init) {
        #expect(playback == playback.bounded)
      }
      attributes.merge(state.attributes) { $1 }
      #expect(state.attributes.allSatisfy { $1.bounded == $1 })
    }
    #expect(attributes.count <= ProtocolLimits.attributes)
    #expect(attributes.keys.allSatisfy { $0.utf8.count <= ProtocolLimits.attributeName })
    let size = attributes.reduce(0) { $0 + $1.value.byteCount(name: $1.key) }
    #expect(size <= ProtocolLimits.attributeBytes)
  }
}

extension PluginProcess {
  /// Opens a device of the role that plays the files of a folder, where it can.
  fileprivate func open(_ name: String, _ role: RoleUnderTest, music: String) async throws
    -> Outcome
  {
    var options = try role.options().object ?? [:]
    let schema = try role.plugin.manifest().roles[role.role]?.options
    if schema?["properties"]?["folders"] != nil { options["folders"] = [.string(music)] }
    let request = OpenRequest(
      device: DeviceID(name), role: role.role, options: .object(options))
    return try await call(OpenRequest.method, request.params)
  }

  /// Every page of a catalogue.
  fileprivate func catalogue(of device: DeviceID, folder: String?) async throws -> [CatalogueItem] {
    var items: [CatalogueItem] = []
    var cursor: String? = ""
    while let place = cursor, items.count <= CatalogueBudget.items {
      let page = try await ask(ScanRequest(device: device, folder: folder, cursor: place))
      items += page.items
      cursor = page.next
    }
    return items
  }
}
