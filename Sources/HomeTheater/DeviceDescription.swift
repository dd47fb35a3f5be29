import Devices
import JSON

/// What `devices.json` says about a device for people, beside what the device reports.
package struct DevicePlan: Sendable, Hashable {
  package var id: DeviceID
  /// What people read and see instead of the name.
  package var label: Label
  /// The inputs of an amplifier that the file or the plugin names, in the order in which people see
  /// them; an input with a cable alone may be missing here.
  package var inputs: [InputPlan]

  package init(id: DeviceID, label: Label = Label(), inputs: [InputPlan] = []) {
    self.id = id
    self.label = label
    self.inputs = inputs
  }
}

/// An input of an amplifier, as `devices.json` describes it.
package struct InputPlan: Sendable, Hashable {
  /// The name that the command `input` takes.
  package var name: String
  /// What people read and see instead of the name.
  package var label: Label

  package init(name: String, label: Label = Label()) {
    self.name = name
    self.label = label
  }
}

/// A device without its state: its role, its label, its rooms and what is plugged into it.
package struct DeviceDescription: Sendable, Hashable {
  /// An input, and the player or tuner at its cable.
  package struct Input: Sendable, Hashable {
    package let plan: InputPlan
    /// `nil` for an input without a cable.
    package let source: DeviceID?
  }

  package let id: DeviceID
  package let role: Role
  package let label: Label
  package let rooms: [RoomID]
  /// The inputs of an amplifier: those that the file names, then those of other cables.
  package let inputs: [Input]

  /// The approximate size in bytes.
  var byteCount: Int { 256 + 256 * inputs.count }

  /// Adds the members of the API: id, role, title, icon, area, rooms and inputs.
  func add(to object: inout JSONObject) {
    object["id"] = .string(id.name)
    object["role"] = .string(role.rawValue)
    object["title"] = .string(role.title)
    label.add(to: &object)
    object["rooms"] = .array(rooms.map { .string($0.name) })
    guard role.has(.input) else { return }
    object["inputs"] = .array(inputs.map(\.json))
  }
}

extension DeviceDescription.Input {
  /// The input for the API: `{"name": "dvd", "title": "Blu-ray", "source": "bluray"}`.
  fileprivate var json: JSON {
    var object: JSONObject = ["name": .string(plan.name)]
    plan.label.add(to: &object)
    if let source { object["source"] = .string(source.name) }
    return .object(object)
  }
}

extension TheaterPlan {
  /// Describes a device.
  package func description(of id: DeviceID, role: Role) -> DeviceDescription {
    let plan = devices.first { $0.id == id }
    var inputs = plan?.inputs ?? []
    let cables = cables.filter { $0.to == id }
    for cable in cables where !inputs.contains(where: { $0.name == cable.input }) {
      inputs.append(InputPlan(name: cable.input))
    }
    return DeviceDescription(
      id: id, role: role, label: plan?.label ?? Label(), rooms: rooms(of: id),
      inputs: inputs.map { input in
        .init(plan: input, source: cables.first { $0.input == input.name }?.from)
      })
  }
}
