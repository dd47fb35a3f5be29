/// The name of a group of fields.
package struct GroupName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }
  package init(stringLiteral value: String) { text = value }
  package var description: String { text }
}

/// The name of a control, such as a button, that groups enable and disable.
package struct ControlName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
{
  package let text: String

  package init(_ text: String) { self.text = text }
  package init(stringLiteral value: String) { text = value }
  package var description: String { text }
}

/// Fields that belong together and the controls that wait for them (B1). A field may be in several
/// groups (B2).
package struct FormGroup: Hashable, Sendable {
  package var name: GroupName
  package var fields: [FieldName]
  /// Enabled exactly while every group that drives them is valid.
  package var controls: [ControlName]

  package init(_ name: GroupName, fields: [FieldName], controls: [ControlName] = []) {
    self.name = name
    self.fields = fields
    self.controls = controls
  }
}
