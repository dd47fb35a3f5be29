/// Fields, groups and controls as one value: events go in, changes come out (B1–B6, C3).
///
/// It has no tasks, clocks or callbacks, so every front end and every test drives it the same way;
/// `ObservableForm` publishes its changes. Rules are evaluated when the form is made and at every
/// event (B4).
public struct Form: Sendable {
  private var fields: [FieldName: Field] = [:]
  private var order: [FieldName] = []
  private var groupsByName: [GroupName: FormGroup] = [:]
  private var hasSecondFactor: Bool
  private var questions = OpenQuestions()

  /// - Parameters:
  ///   - fields: In display order; if two have the same name, the last declaration counts.
  ///   - values: Initial values.
  public init(
    _ fields: [FieldDeclaration], groups: [FormGroup] = [], values: [FieldName: String] = [:],
    hasSecondFactor: Bool = false
  ) {
    self.hasSecondFactor = hasSecondFactor
    for declaration in fields {
      if self.fields[declaration.name] == nil { order.append(declaration.name) }
      self.fields[declaration.name] = Field(declaration, text: values[declaration.name] ?? "")
    }
    for group in groups { groupsByName[group.name] = group }
    evaluate()
  }

  // MARK: Reading

  /// The names of the fields, in their order.
  public var fieldNames: [FieldName] { order }

  /// The field of this name.
  public subscript(name: FieldName) -> Field? { fields[name] }

  /// The text of a field; empty when there is no such field.
  public func text(_ name: FieldName) -> String { fields[name]?.text ?? "" }

  /// Whether a toggle is on.
  public func isOn(_ name: FieldName) -> Bool {
    fields[name]?.declaration.kind == .toggle && text(name) == FieldKind.on
  }

  /// The value of a number field; nil while it is not valid.
  public func number(_ name: FieldName) -> Double? {
    guard let field = fields[name], case .number = field.declaration.kind, field.isValid else {
      return nil
    }
    return Double(field.text)
  }

  /// Whether the group has fields and all of them are valid. An unknown group, or one that names an
  /// unknown field, is not valid.
  public func isValid(_ group: GroupName) -> Bool {
    guard let group = groupsByName[group], !group.fields.isEmpty else { return false }
    return group.fields.allSatisfy { fields[$0]?.isValid ?? false }
  }

  /// Whether all groups that drive the control are valid; false when none does.
  public func isEnabled(_ control: ControlName) -> Bool {
    let driving = groupsByName.values.filter { $0.controls.contains(control) }
    return !driving.isEmpty && driving.allSatisfy { isValid($0.name) }
  }

  /// The current state as changes from an empty form: the first changes that a subscriber gets.
  public var everything: [FormChange] {
    snapshot.changes(since: FormSnapshot()) + questions.waiting.map { .ask($0) }
  }

  // MARK: Changing

  /// Applies an event. An event about an unknown field or group changes nothing.
  /// - Returns: The changes, in the order fields, groups, controls, questions.
  public mutating func send(_ event: FormEvent) -> [FormChange] {
    change { form in
      switch event {
      case .type(let name, let text): form.type(text, into: name)
      case .leave(let name): form.leave(name)
      case .submit(let group): form.submit(group)
      case .reset(let name, let text):
        guard let declaration = form.fields[name]?.declaration else { return }
        form.fields[name] = Field(declaration, text: text)
      case .secondFactor(let has): form.hasSecondFactor = has
      case .answered(let ticket, let answer): form.questions.answer(ticket, answer)
      }
    }
  }

  /// Adds a field at the end, or changes the declaration of a field, whose text stays.
  public mutating func declare(_ declaration: FieldDeclaration) -> [FormChange] {
    change { form in
      let name = declaration.name
      if form.fields[name] == nil { form.order.append(name) }
      var field = Field(declaration, text: form.fields[name]?.text ?? "")
      field.isTouched = form.fields[name]?.isTouched ?? false
      field.isRevealed = form.fields[name]?.isRevealed ?? false
      form.fields[name] = field
    }
  }

  /// Removes a field. Groups that name it are invalid until they are declared anew.
  public mutating func remove(field name: FieldName) -> [FormChange] {
    change { form in
      form.fields[name] = nil
      form.order.removeAll { $0 == name }
    }
  }

  /// Adds a group, or replaces the one with its name.
  public mutating func declare(_ group: FormGroup) -> [FormChange] {
    change { $0.groupsByName[group.name] = group }
  }

  /// Removes a group.
  public mutating func remove(group: GroupName) -> [FormChange] {
    change { $0.groupsByName[group] = nil }
  }

  private mutating func type(_ text: String, into name: FieldName) {
    guard let field = fields[name] else { return }
    // A mistake that is shown stays shown until it is corrected; a new one is not shown yet.
    if field.isValid || field.declaration.hidesMistakeOnEdit { fields[name]?.isRevealed = false }
    fields[name]?.isTouched = true
    fields[name]?.text = text
  }

  private mutating func leave(_ name: FieldName) {
    guard fields[name]?.isTouched == true else { return }
    fields[name]?.isRevealed = true
  }

  private mutating func submit(_ group: GroupName) {
    for name in groupsByName[group]?.fields ?? [] {
      fields[name]?.isRevealed = true
      questions.retry(name)
    }
  }

  // MARK: Evaluating

  private mutating func change(_ body: (inout Form) -> Void) -> [FormChange] {
    let before = snapshot
    let asked = questions
    body(&self)
    evaluate()
    return snapshot.changes(since: before) + questions.changes(since: asked)
  }

  private mutating func evaluate() {
    let context = RuleContext(
      values: fields.mapValues(\.text), labels: fields.mapValues(\.declaration.label),
      hasSecondFactor: hasSecondFactor)
    questions.removeQuestions { [fields] in fields[$0] == nil }
    for name in order {
      guard let field = fields[name] else { continue }
      let report = RuleReport(
        field.text, kind: field.declaration.kind, rules: field.declaration.rules,
        field: field.declaration.label, in: context,
        answers: questions.answers(about: field))
      fields[name]?.report = report
      questions.update(for: field, report: report)
    }
  }

  private var snapshot: FormSnapshot {
    let groups = groupsByName.values.sorted { $0.name.text < $1.name.text }
    var controls: [ControlName] = []
    for control in groups.flatMap(\.controls) where !controls.contains(control) {
      controls.append(control)
    }
    return FormSnapshot(
      fields: order.compactMap { fields[$0] }.map { ($0.name, FieldView($0)) },
      groups: groups.map { ($0.name, isValid($0.name)) },
      controls: controls.map { ($0, isEnabled($0)) })
  }
}
