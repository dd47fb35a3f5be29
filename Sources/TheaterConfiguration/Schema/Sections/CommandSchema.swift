import Devices
import JSON

extension SchemaNode {
  /// A parameter of the scene in place of an argument: `"$film"`.
  static let parameter = SchemaNode.named(
    "parameter",
    .text(TextSchema(rule: .parameter, what: "a parameter such as \"$film\"")))

  /// The argument of a scene's command.
  static func argument(_ shape: ArgumentShape) -> SchemaNode {
    switch shape {
    case .integer(let range, let unit):
      .either([
        .number(
          NumberSchema(
            isWhole: true, minimum: Double(range.lowerBound), maximum: Double(range.upperBound),
            unit: unit)),
        parameter,
      ])
    case .number(let range, let unit):
      .either([
        .number(NumberSchema(minimum: range.lowerBound, maximum: range.upperBound, unit: unit)),
        parameter,
      ])
    case .text(let longest, let what):
      .text(TextSchema(shortest: 1, longest: longest, what: "the name of \(what)"))
    case .fields(let fields):
      .object(
        ObjectSchema(shape.expectation, fields: fields.map { .init($0.name, argument($0.shape)) }))
    }
  }

  /// A command for a device of any of these roles: `"on"`, `{"dim": 10}`.
  static func command(of roles: [Role]) -> SchemaNode {
    let specs = roles.flatMap(\.commands)
    var alone: [JSON] = []
    var fields: [ObjectSchema.Field] = []
    for spec in specs {
      let name = JSON.string(spec.name)
      if spec.argument?.isRequired != true, !alone.contains(name) { alone.append(name) }
      guard let argument = spec.argument else { continue }
      let shape = SchemaNode.argument(argument.shape)
      if let known = fields.firstIndex(where: { $0.name == spec.name }) {
        fields[known].widen(shape)
      } else {
        fields.append(.init(spec.name, shape, help: spec.help))
      }
    }
    return .either([
      .constants(alone), .object(ObjectSchema("a command", fields: fields, isSingle: true)),
    ])
  }
}

extension ObjectSchema.Field {
  /// Allows `other` as well, because two roles may have a command of the same name.
  fileprivate mutating func widen(_ other: SchemaNode) {
    switch shape {
    case other: break
    case .either(let shapes) where shapes.contains(other): break
    default: shape = .either([shape, other])
    }
  }
}
