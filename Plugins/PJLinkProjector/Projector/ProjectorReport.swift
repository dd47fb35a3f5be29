import Devices
import JSON

/// The attributes that were reported of a projector, and those to report next.
struct ProjectorReport: Sendable {
  /// The attributes with one value.
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

  /// The values that were reported since contact was made.
  var state: [StateKey: JSON] = [:]
  private var attributes: [String: Attribute] = [:]
  private var news: [String: Attribute] = [:]

  /// The value of an attribute; setting it to nil keeps the old one.
  subscript(name: Name) -> JSON? {
    get { attributes[name.rawValue]?.value }
    set {
      guard let newValue else { return }
      let unit = name == .filterHours ? "h" : nil
      set(name.rawValue, Attribute(newValue, unit: unit, label: name.label))
    }
  }

  /// The problem that status and doctor show; nil without one.
  var problem: String? {
    get { self[.problem]?.string }
    set { self[.problem] = newValue.map { .string($0) } ?? .null }
  }

  /// The hours of each lamp: `lampHours`, `lamp2Hours` and so on.
  var lampHours: [Int] = [] {
    didSet {
      for (index, hours) in lampHours.enumerated() {
        let number = index == 0 ? "" : "\(index + 1)"
        set(
          "lamp\(number)Hours",
          Attribute(.integer(hours), unit: "h", label: index == 0 ? "Lamp" : "Lamp \(number)"))
      }
    }
  }

  /// The attributes of a change that takes time.
  var movement: [String: Attribute] = [:] {
    didSet { for (name, attribute) in movement { set(name, attribute) } }
  }

  /// Returns the changed attributes since the last call.
  mutating func takeNews() -> [String: Attribute] {
    defer { news = [:] }
    return news
  }

  private mutating func set(_ name: String, _ attribute: Attribute) {
    let old = attributes[name]
    guard old != attribute, old != nil || attribute.value != .null else { return }
    attributes[name] = attribute
    news[name] = attribute
  }
}
