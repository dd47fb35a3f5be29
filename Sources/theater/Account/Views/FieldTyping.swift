import AccountFlows
import Validation

/// Which of a screen's fields takes the keys, and whether what is hidden is shown.
struct FieldTyping: Sendable {
  private(set) var isRevealed = false
  private var field: FieldName?
  /// That what was typed did not arrive as UTF-8.
  private(set) var isGarbled = false

  /// The field with the cursor: the one that was chosen, where the screen shows it.
  func focus(in fields: [FieldName]) -> FieldName? {
    field.flatMap { fields.contains($0) ? $0 : nil } ?? fields.first
  }

  /// What a key does to the fields.
  enum Deed: Sendable, Equatable {
    case type(FieldName, String)
    case leave(FieldName)
    /// Enter in the last field.
    case submit
    /// Back from the first field.
    case back
  }

  /// Takes a key; nothing comes of one that only changes what is shown.
  mutating func take(_ key: Key, fields: [FieldName], form: Form) -> Deed? {
    guard let name = focus(in: fields) else { return nil }
    isGarbled = key == .garbled
    switch key {
    case .reveal:
      // Pressed by chance where nothing is hidden, it must not show what comes later.
      if fields.contains(where: { form[$0]?.declaration.isSecret == true }) { isRevealed.toggle() }
    case .next: return move(1, from: name, in: fields) ? .leave(name) : nil
    case .enter: return move(1, from: name, in: fields) ? .leave(name) : .submit
    case .back: return move(-1, from: name, in: fields) ? .leave(name) : .back
    default: return form.text(name).typing(key).map { .type(name, $0) }
    }
    return nil
  }

  /// Puts the cursor into a field.
  mutating func goTo(_ name: FieldName?) { field = name }

  /// Puts the cursor where a mistake is mended: into what is empty, otherwise to the first field.
  /// - Returns: Whether there is a mistake.
  mutating func goToMistake(in fields: [FieldName], of form: Form) -> Bool {
    guard let wrong = fields.first(where: { form[$0]?.isValid == false }) else { return false }
    goTo(form.text(wrong).isEmpty ? wrong : fields.first)
    return true
  }

  /// Hides again what was shown.
  mutating func hide() { isRevealed = false }

  private mutating func move(_ step: Int, from name: FieldName, in fields: [FieldName]) -> Bool {
    guard let index = fields.firstIndex(of: name), fields.indices.contains(index + step) else {
      return false
    }
    field = fields[index + step]
    return true
  }
}

extension ANSIStyle {
  /// The fields of a form with the rules of the one that is typed into.
  func fields(_ names: [FieldName], of form: Form, typing: FieldTyping, isLocked: Bool)
    -> [String]
  {
    let focus = isLocked ? nil : typing.focus(in: names)
    var lines: [String] = []
    for field in names.compactMap({ form[$0] }) {
      lines.append(
        self.field(
          field.declaration.label, field.text,
          isHidden: field.declaration.isSecret && !typing.isRevealed,
          hasCursor: field.name == focus, isValid: field.isValid))
      if field.name == focus {
        lines += rules(field.report, isShown: field.display == .invalidShown)
      }
    }
    if typing.isGarbled { lines.append(bad("  The terminal sent no UTF-8; set it to UTF-8.")) }
    return lines
  }
}
