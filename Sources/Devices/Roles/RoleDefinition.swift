/// A role as a list of traits, and the tables that follow from it. Each is made once.
final class RoleDefinition: Sendable {
  let title: String
  let commandType: any RoleCommand.Type
  let traits: [DeviceTrait]
  let commands: [CommandSpec]
  let states: [StateSpec]
  let stateKeys: [StateKey]
  let capabilities: Set<String>
  let category: Category?
  let off: CommandSpec?
  let offOrder: Int
  let stop: CommandSpec?

  /// - Parameters:
  ///   - title: The name for people: "DVD player".
  ///   - commandType: The typed commands of the role.
  ///   - offOrder: The place among the roles when everything is turned off: players have 1 to 3, the
  ///     popper 4, the amplifier 5, the projector 6, the screen 7 and the lights 8.
  init(
    _ title: String, _ commandType: any RoleCommand.Type, offOrder: Int, _ traits: [DeviceTrait]
  ) {
    let commands = traits.flatMap(\.commands)
    func command(_ name: KeyPath<DeviceTrait, String?>) -> CommandSpec? {
      traits.lazy.compactMap { $0[keyPath: name] }.first.flatMap { name in
        commands.first { $0.name == name }
      }
    }
    self.title = title
    self.commandType = commandType
    self.offOrder = offOrder
    self.traits = traits
    self.commands = commands
    states = traits.flatMap(\.states)
    stateKeys = states.map(\.key)
    capabilities = Set(commands.compactMap(\.capability)).union(traits.flatMap(\.capabilities))
    category = traits.lazy.compactMap(\.category).first
    off = command(\.off)
    stop = command(\.stop)
  }
}
