/// The name of a group of fields.
public struct GroupName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name itself.
  public let text: String

  public init(_ text: String) { self.text = text }
  public init(stringLiteral value: String) { text = value }
  public var description: String { text }
}

/// The name of anything that groups enable and disable: a button, a field, a menu entry (B8).
public struct ControlName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  /// The name itself.
  public let text: String

  public init(_ text: String) { self.text = text }
  public init(stringLiteral value: String) { text = value }
  public var description: String { text }
}

/// A group of fields and the controls that it drives (B1). A field may be in several groups (B2).
public struct FormGroup: Hashable, Sendable {
  /// The name, unique in its form.
  public var name: GroupName
  /// The fields that must all be valid.
  public var fields: [FieldName]
  /// The controls that it drives. Each is enabled while all groups that drive it are valid.
  public var controls: [ControlName]

  /// A group that enables these controls while its fields are valid.
  public init(_ name: GroupName, fields: [FieldName], controls: [ControlName] = []) {
    self.name = name
    self.fields = fields
    self.controls = controls
  }
}
