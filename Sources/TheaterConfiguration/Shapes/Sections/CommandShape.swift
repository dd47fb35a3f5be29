import Devices
import JSON

extension Shape {
  /// `"$film"`: a parameter of the scene, wherever an argument may stand.
  static let parameter = Shape.named(
    "parameter",
    .text(TextShape(rule: .parameter, what: "a parameter such as \"$film\"")))

  /// The argument of a scene's command.
  static func argument(_ shape: ArgumentShape) -> Shape {
    switch shape {
    case .integer(let range, let unit):
      .either([
        .number(
          NumberShape(
            isWhole: true, minimum: Double(range.lowerBound), maximum: Double(range.upperBound),
            unit: unit)),
        parameter,
      ])
    case .number(let range, let unit):
      .either([
        .number(NumberShape(minimum: range.lowerBound, maximum: range.upperBound, unit: unit)),
        parameter,
      ])
    case .text(let longest, let what):
      .text(TextShape(shortest: 1, longest: longest, what: "the name of \(what)"))
    case .fields(let fields):
      .object(
        ObjectShape(shape.expectation, fields: fields.map { .init($0.name, argument($0.shape)) }))
    }
  }

  /// What a step may tell a device of any of these roles: `"on"`, `{"dim": 10}`.
  static func command(of roles: [Role]) -> Shape {
    let specs = roles.flatMap(\.commands)
    var alone: [JSON] = []
    var fields: [ObjectShape.Field] = []
    for spec in specs {
      let name = JSON.string(spec.name)
      if spec.argument?.isRequired != true, !alone.contains(name) { alone.append(name) }
      guard let argument = spec.argument else { continue }
      let shape = Shape.argument(argument.shape)
      if let known = fields.firstIndex(where: { $0.name == spec.name }) {
        fields[known].widen(shape)
      } else {
        fields.append(.init(spec.name, shape, help: spec.help))
      }
    }
    return .either([
      .constants(alone), .object(ObjectShape("a command", fields: fields, isSingle: true)),
    ])
  }
}

extension ObjectShape.Field {
  /// Lets the field have `other` too: two roles may have a command of the same name.
  fileprivate mutating func widen(_ other: Shape) {
    switch shape {
    case other: break
    case .either(let shapes) where shapes.contains(other): break
    default: shape = .either([shape, other])
    }
  }
}
