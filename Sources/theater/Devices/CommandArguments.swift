import Devices
import JSON

/// Device commands on the command line, derived from the command tables.
enum CommandArguments {
  /// Parses a command's words.
  ///
  /// A number or a name is one word; an object's fields follow in the order of the table, or as
  /// `name=value`.
  static func command(_ name: String, _ arguments: [String], role: Role) throws(CommandError)
    -> Command
  {
    // A wrong name is reported first, whatever follows it.
    guard let spec = role.command(named: name) else {
      return try Command(name, argument: nil, role: role)
    }
    guard !arguments.isEmpty else { return try Command(name, argument: nil, role: role) }
    guard let takes = spec.argument else {
      return try Command(
        name, argument: .string(arguments.joined(separator: " ")), role: role)
    }
    return try Command(name, argument: json(arguments, as: takes.shape), role: role)
  }

  private static func json(_ words: [String], as shape: ArgumentShape) -> JSON {
    switch shape {
    case .text: return .string(words.joined(separator: " "))
    case .integer, .number:
      guard words.count == 1, let word = words.first else {
        return .string(words.joined(separator: " "))
      }
      return value(of: word, as: shape)
    case .fields(let fields):
      var object = JSONObject()
      var open = fields
      for word in words {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2, let name = parts.first,
          let field = fields.first(where: { $0.name == name })
        {
          object[field.name] = value(of: String(parts[1]), as: field.shape)
          open.removeAll { $0.name == field.name }
        } else if let field = open.first {
          object[field.name] = value(of: word, as: field.shape)
          open.removeFirst()
        } else {
          object[word] = .null  // One too many: the command table rejects it.
        }
      }
      return .object(object)
    }
  }

  private static func value(of word: String, as shape: ArgumentShape) -> JSON {
    switch shape {
    case .text, .fields: return .string(word)
    case .integer, .number:
      let plain = word.hasSuffix("%") ? String(word.dropLast()) : word
      if let whole = Int(plain) { return .integer(whole) }
      if let number = Double(plain), number.isFinite { return .number(number) }
      // An argument in seconds may be written as 12:30.
      if case .number(_, unit: "s") = shape, let seconds = TimeText.seconds(plain) {
        return .number(seconds)
      }
      return .string(word)
    }
  }

  /// The commands of a role, one line each.
  static func help(_ role: Role) -> String {
    var columns = Columns()
    for spec in role.commands { columns.add("  \(spec.name) \(placeholder(spec))", spec.help) }
    return "Commands of the \(role.title):\n" + columns.text
  }

  /// `0…100`, `[item] [position]`.
  private static func placeholder(_ spec: CommandSpec) -> String {
    guard let argument = spec.argument else { return "" }
    let text =
      switch argument.shape {
      case .integer(let range, _): "\(range.lowerBound)…\(range.upperBound)"
      case .number(let range, _):
        "\(JSON.number(range.lowerBound))…\(JSON.number(range.upperBound))"
      case .text: "NAME"
      case .fields(let fields): fields.map { $0.name.uppercased() }.joined(separator: " ")
      }
    return argument.isRequired ? text : "[\(text)]"
  }
}
