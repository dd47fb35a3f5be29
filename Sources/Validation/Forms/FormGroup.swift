/// The name of a group of fields.
package struct GroupName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  package let text: String

  package init(_ text: String) { self.text = text }
  package init(stringLiteral value: String) { text = value }
  package var description: String { text }
}

/// The name of anything that groups enable and disable: a button, a field, a menu entry (B8).
package struct ControlName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible
{
  package let text: String

  package init(_ text: String) { self.text = text }
  package init(stringLiteral value: String) { text = value }
  package var description: String { text }
}

/// A group of fields and the controls that it drives (B1). A field may be in several groups (B2).
package struct FormGroup: Hashable, Sendable {
  package var name: GroupName
  package var fields: [FieldName]
  /// Each is enabled exactly while every group that drives it is valid.
  package var controls: [ControlName]

  package init(_ name: GroupName, fields: [FieldName], controls: [ControlName] = []) {
    self.name = name
    self.fields = fields
    self.controls = controls
  }
}
