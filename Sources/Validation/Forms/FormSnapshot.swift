/// The visible state of a form.
struct FormSnapshot {
  var fields: [(name: FieldName, view: FieldView)] = []
  var groups: [(name: GroupName, isValid: Bool)] = []
  var controls: [(name: ControlName, isEnabled: Bool)] = []

  /// The differences from `before`. A removed group or control is reported as not valid or not
  /// enabled.
  func changes(since before: FormSnapshot) -> [FormChange] {
    fieldChanges(before)
      + Self.differences(before.groups, groups).map { .group($0, isValid: $1) }
      + Self.differences(before.controls, controls).map { .control($0, isEnabled: $1) }
  }

  private func fieldChanges(_ before: FormSnapshot) -> [FormChange] {
    let known = Dictionary(uniqueKeysWithValues: before.fields.map { ($0.name, $0.view) })
    let there = Set(fields.map(\.name))
    return before.fields.filter { !there.contains($0.name) }.map { .removed($0.name) }
      + fields.filter { known[$0.name] != $0.view }.map { .field($0.name, $0.view) }
  }

  private static func differences<Name: Hashable>(
    _ old: [(Name, Bool)], _ new: [(Name, Bool)]
  ) -> [(Name, Bool)] {
    let known = Dictionary(uniqueKeysWithValues: old.map { ($0.0, $0.1) })
    let there = Set(new.map(\.0))
    return new.filter { known[$0.0] != $0.1 }
      + old.filter { $0.1 && !there.contains($0.0) }.map { ($0.0, false) }
  }
}
