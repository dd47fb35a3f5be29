import Devices
import JSON

/// The state and attributes of a projector that were reported, and the attributes to report next.
struct ProjectorReport: Sendable {
  /// The names of the attributes that are not about lamps and movements.
  enum Name: String, CaseIterable, Sendable {
    case name, manufacturer, model, pjlinkClass, authentication, input, inputs, mute, errors
    case filterHours, problem

    fileprivate var label: String {
      switch self {
      case .name: "Name"
      case .manufacturer: "Manufacturer"
      case .model: "Model"
      case .pjlinkClass: "PJLink class"
      case .authentication: "Authentication"
      case .input: "Input"
      case .inputs: "Inputs"
      case .mute: "Muted"
      case .errors: "Errors"
      case .filterHours: "Filter"
      case .problem: "Problem"
      }
    }
  }

  /// The reported values of the state that are known now.
  var state: [StateKey: JSON] = [:]
  private var attributes: [String: Attribute] = [:]
  /// The attributes that have changed since the last call of ``removeChanges()``.
  private var changes: [String: Attribute] = [:]

  /// The value of an attribute. Setting nil keeps the old value.
  subscript(name: Name) -> JSON? {
    get { attributes[name.rawValue]?.value }
    set {
      guard let newValue else { return }
      let unit = name == .filterHours ? "h" : nil
      set(name.rawValue, Attribute(newValue, unit: unit, label: name.label))
    }
  }

  /// The attribute `problem`, which `theater status` and `theater doctor` show; nil for no problem.
  var problem: String? {
    get { self[.problem]?.string }
    set { self[.problem] = newValue.map { .string($0) } ?? .null }
  }

  /// The hours of each lamp, nil for unknown ones, for the attributes `lampHours`, `lamp2Hours` and so on.
  var lampHours: [Int?] = [] {
    didSet {
      for index in 0..<max(lampHours.count, oldValue.count) {
        let hours = index < lampHours.count ? lampHours[index] : nil
        let number = index == 0 ? "" : "\(index + 1)"
        set(
          "lamp\(number)Hours",
          Attribute(
            hours.map { .integer($0) } ?? .null, unit: "h",
            label: index == 0 ? "Lamp" : "Lamp \(number)"))
      }
    }
  }

  /// The attributes of a lamp that warms or cools.
  var movement: [String: Attribute] = [:] {
    didSet { for (name, attribute) in movement { set(name, attribute) } }
  }

  /// Removes and returns the attributes that have changed since the last call.
  mutating func removeChanges() -> [String: Attribute] {
    defer { changes = [:] }
    return changes
  }

  private mutating func set(_ name: String, _ attribute: Attribute) {
    let old = attributes[name]
    guard old != attribute, old != nil || attribute.value != .null else { return }
    attributes[name] = attribute
    changes[name] = attribute
  }
}
