import AccountFlows
import Validation

/// The focused field of a form, and whether secret fields are shown.
struct FieldFocus: Sendable {
  private(set) var isRevealed = false
  private var field: FieldName?
  /// Whether the last key was invalid UTF-8.
  private(set) var hasInvalidUTF8 = false

  /// Returns the focused field: the chosen one if it is among `fields`, else the first.
  func focused(in fields: [FieldName]) -> FieldName? {
    field.flatMap { fields.contains($0) ? $0 : nil } ?? fields.first
  }

  /// The effect of a key on a form.
  enum Action: Sendable, Equatable {
    case type(FieldName, String)
    case leave(FieldName)
    /// Enter in the last field.
    case submit
    /// Back from the first field.
    case back
  }

  /// Handles a key. Returns `nil` if the key changes at most the display.
  mutating func handle(_ key: Key, fields: [FieldName], form: Form) -> Action? {
    guard let name = focused(in: fields) else { return nil }
    hasInvalidUTF8 = key == .invalidUTF8
    switch key {
    case .reveal:
      // Ignored without a secret field: it must not reveal the secret field of a later step.
      if fields.contains(where: { form[$0]?.declaration.isSecret == true }) { isRevealed.toggle() }
    case .next: return move(1, from: name, in: fields) ? .leave(name) : nil
    case .enter:
      // A mistake is corrected before the next field is typed.
      if Self.hasMistake(form[name]) {
        let lastText = fields.last { form[$0]?.declaration.kind != .toggle }
        return lastText == name ? .submit : .leave(name)
      }
      return move(1, from: name, in: fields) ? .leave(name) : .submit
    case .back: return move(-1, from: name, in: fields) ? .leave(name) : .back
    default:
      return text(of: name, in: form, after: key).map { .type(name, $0) }
    }
    return nil
  }

  /// Returns the inputs for a key on a form that Enter in the last field submits. A submission with
  /// an invalid field moves the focus.
  mutating func inputs<Input>(
    for key: Key, fields: [FieldName], form: Form, typed: (FieldName, String) -> Input,
    left: (FieldName) -> Input, submit: Input
  ) -> [Input] {
    switch handle(key, fields: fields, form: form) {
    case .type(let field, let text): return [typed(field, text)]
    case .leave(let field): return [left(field)]
    case .submit:
      _ = moveToInvalid(in: fields, of: form)
      return [submit]
    case .back, nil: return []
    }
  }

  /// Returns the text of a field after a key; `nil` if the key does not change it.
  private func text(of name: FieldName, in form: Form, after key: Key) -> String? {
    switch form[name]?.declaration.kind {
    case .choice(let options): Self.option(of: options, after: form.text(name), by: key)
    case .toggle: key == .text(" ") ? (form.isOn(name) ? "" : FieldKind.on) : nil
    case .text, .number, nil: form.text(name).edited(by: key)
    }
  }

  /// Whether a field has a text that breaks a rule. An empty field may be filled in later.
  private static func hasMistake(_ field: Field?) -> Bool {
    guard let field, !field.isValid else { return false }
    return field.report.state == .invalid && !field.report.isPending
  }

  /// Returns the option after or before the chosen one, if the key is an arrow or the space bar.
  private static func option(of options: [String], after chosen: String, by key: Key) -> String? {
    let step: Int
    switch key {
    case .nextOption, .text(" "): step = 1
    case .previousOption: step = options.count - 1
    default: return nil
    }
    guard let index = options.firstIndex(of: chosen) else { return options.first }
    return options[(index + step) % options.count]
  }

  /// Moves the focus to a field.
  mutating func move(to name: FieldName?) { field = name }

  /// Moves the focus to the first invalid field; from a secret one with a text to the first field,
  /// because passwords are typed anew together.
  /// - Returns: Whether a field is invalid.
  mutating func moveToInvalid(in fields: [FieldName], of form: Form) -> Bool {
    guard let wrong = fields.first(where: { form[$0]?.isValid == false }) else { return false }
    let isTypedAnew = form[wrong]?.declaration.isSecret == true && !form.text(wrong).isEmpty
    move(to: isTypedAnew ? fields.first { form[$0]?.declaration.isSecret == true } : wrong)
    return true
  }

  /// Hides secret fields.
  mutating func hideSecrets() { isRevealed = false }

  private mutating func move(_ step: Int, from name: FieldName, in fields: [FieldName]) -> Bool {
    guard let index = fields.firstIndex(of: name), fields.indices.contains(index + step) else {
      return false
    }
    field = fields[index + step]
    return true
  }
}

extension ANSIStyle {
  /// The line below a form: the request in progress, else the failure, else no line.
  func outcome(progress: String?, failure: String?, turn: Int) -> [String] {
    if let progress { return [self.progress(progress, turn: turn)] }
    return failure.map { [bad("✗ \($0)")] } ?? []
  }

  /// The lines of a form's fields, with the rules of the focused one.
  func fields(_ names: [FieldName], of form: Form, focus: FieldFocus, isLocked: Bool)
    -> [String]
  {
    let focused = isLocked ? nil : focus.focused(in: names)
    var lines: [String] = []
    for field in names.compactMap({ form[$0] }) {
      let isFocused = field.name == focused
      switch field.declaration.kind {
      case .choice:
        lines.append(choice(field.declaration.label, field.text, hasCursor: isFocused))
      case .toggle:
        lines.append(
          toggle(field.declaration.label, isOn: form.isOn(field.name), hasCursor: isFocused))
        lines += isFocused ? shownMessage(of: field) : []
      case .text, .number:
        lines.append(
          self.field(
            field.declaration.label, field.text,
            isHidden: field.declaration.isSecret && !focus.isRevealed, hasCursor: isFocused,
            isValid: field.isValid))
        lines += isFocused ? shownMessage(of: field) + rules(of: field) : []
      }
    }
    return lines + encodingProblem(focus)
  }

  /// The instruction for an empty field: it breaks every rule, but only one instruction helps.
  private func shownMessage(of field: Field) -> [String] {
    guard field.display == .invalidShown, field.report.state == .empty else { return [] }
    return field.message.map { [bad("    ✗ \($0)")] } ?? []
  }

  private func rules(of field: Field) -> [String] {
    rules(field.report, isShown: field.display == .invalidShown && field.report.state != .empty)
  }

  /// The line for a key that was invalid UTF-8, else no line.
  func encodingProblem(_ focus: FieldFocus) -> [String] {
    focus.hasInvalidUTF8
      ? [bad("  The terminal sent text that is not UTF-8; set it to UTF-8.")] : []
  }
}
