import Platform
import Validation

/// The e-mail address and the phone number of an account.
public struct AccountContacts: Sendable, Hashable {
  public var email: String
  /// Whether the person has proved by a code that the address is theirs.
  public var isEmailVerified: Bool
  /// Always verified; nil without one.
  public var phone: String?

  public init(email: String, isEmailVerified: Bool, phone: String? = nil) {
    self.email = email
    self.isEmailVerified = isEmailVerified
    self.phone = phone
  }
}

/// The form for the contacts of the person who is logged in (B7): e-mail address, password and phone
/// number together enable `register`, which proves the person's identity and verifies each contact
/// that changed by a code. The phone number alone enables `sendCode`, which verifies it.
public struct ContactSettings: ScreenModel {
  /// What is shown: the form, or the field for a code.
  public enum Step: String, Sendable, Hashable {
    case form, code
  }

  /// An action of the person.
  public enum Input: Sendable, ConcealedInput {
    /// The text of a field after a keystroke.
    case typed(FieldName, String)
    /// A field lost the focus.
    case left(FieldName)
    /// Verifies both contacts.
    case register
    /// Verifies the phone number.
    case sendCode
    /// An input of the field for the code.
    case code(CodeScreen.Input)
    /// Goes back from the code to the form.
    case back
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// A button was enabled or disabled.
    case control(ControlName, isEnabled: Bool)
    /// The form is disabled, and progress is shown, while it is true.
    case loading(Bool)
    /// The form or the field for the code is shown.
    case step(Step)
    /// The last attempt failed; the form stays.
    case failure(ScreenFailure)
    /// An output of the field for the code.
    case code(CodeScreen.Output)
    /// The person has this contact now.
    case verified(CodeContact)
  }

  /// A request to the services or the clock.
  public enum Work: Sendable, Hashable {
    /// Proves the identity of the person who is logged in.
    case prove(IdentityProof)
    /// Work of the code for a contact.
    case code(CodeContact, CodeFlow.Work)
  }

  /// The result of a `Work`.
  public enum Answer: Sendable {
    /// The identity is proved (nil), or it was refused.
    case proved(ScreenFailure?)
    /// An answer to the work of the code for a contact.
    case code(CodeContact, CodeFlow.Answer)
  }

  /// The fields and the groups of `AccountForm.contacts`; with a field for the code of a second
  /// factor once the controller has asked for it.
  public private(set) var form: Form
  /// The contacts as they are now.
  public private(set) var contacts: AccountContacts
  /// What is shown.
  public private(set) var step = Step.form
  /// Whether `register` has verified all contacts; the screen ends.
  public private(set) var isOver = false
  /// The error of the last attempt, until the next one.
  public private(set) var failure: ScreenFailure?
  private var flows: [CodeContact: CodeFlow] = [:]
  /// The contacts that are still verified, the current one first.
  private var queue: [CodeContact] = []
  private var isProving = false
  /// Whether the identity was proved for this submission.
  private var hasProved = false
  /// What follows a proof; nil while nothing was submitted.
  private var submission: Submission?

  private enum Submission { case register, sendCode }

  /// - Parameters:
  ///   - contacts: As they are now.
  ///   - rules: The controller's rules.
  public init(_ contacts: AccountContacts, _ rules: RuleSet) {
    self.contacts = contacts
    form = Form(
      AccountForm.contacts.declaration(rules),
      values: [.email: contacts.email, .phone: contacts.phone ?? ""])
    for contact in CodeContact.allCases {
      flows[contact] = CodeFlow(form[contact.field]?.declaration ?? FieldDeclaration(contact.field))
    }
  }

  /// The contact whose code is asked for; nil while none is.
  public var contact: CodeContact? { queue.first }
  /// The screen for the code that is asked for; nil while the form is shown.
  public var code: CodeScreen? { step == .code ? flow?.code : nil }
  /// Whether a request of the form or of the code runs.
  public var isLoading: Bool { isProving || flow?.isLoading ?? false }
  /// Whether nothing can be typed or pressed.
  public var isLocked: Bool { isOver || isLoading }

  /// Whether the person can press the control.
  public func isEnabled(_ control: ControlName) -> Bool {
    !isLocked && step == .form && form.isEnabled(control)
  }

  private var flow: CodeFlow? { contact.flatMap { flows[$0] } }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    let before = self
    let effects =
      switch event {
      case .appeared: [Effect]()
      case .input(let input): isLocked ? [] : handle(input, at: now)
      case .answer(.proved(let refusal)): finishProof(refusal, at: now)
      case .answer(.code(let contact, let answer)): handle(answer, of: contact, at: now)
      }
    return changes(since: before) + effects
  }

  private func changes(since before: ContactSettings) -> [Effect] {
    var outputs = [ControlName.register, .sendCode].filter {
      before.isEnabled($0) != isEnabled($0)
    }.map { Output.control($0, isEnabled: isEnabled($0)) }
    let (wasLoading, isLoading) = (before.isFormLoading, isFormLoading)
    if wasLoading != isLoading { outputs.append(.loading(isLoading)) }
    if before.step != step { outputs.append(.step(step)) }
    if let failure, failure != before.failure { outputs.append(.failure(failure)) }
    return outputs.map { .emit($0) }
  }

  private var isFormLoading: Bool { step == .form && isLoading }

  private mutating func handle(_ input: Input, at now: Duration) -> [Effect] {
    switch (step, input) {
    case (.form, .typed(let field, let text)):
      failure = nil
      _ = form.send(.type(field, text))
      return []
    case (.form, .left(let field)):
      _ = form.send(.leave(field))
      return []
    case (.form, .register): return submit(.register, at: now)
    case (.form, .sendCode): return submit(.sendCode, at: now)
    case (.code, .code(let input)): return send(.input(.code(input)), at: now)
    case (.code, .back):
      let effects = send(.input(.back), at: now)
      showForm()
      return effects
    default: return []  // An input of the step that is not shown.
    }
  }

  private mutating func submit(_ submission: Submission, at now: Duration) -> [Effect] {
    failure = nil
    _ = form.send(.submit(submission == .register ? "register" : "sendCode"))
    guard form.isEnabled(submission == .register ? .register : .sendCode) else { return [] }
    (self.submission, hasProved) = (submission, false)
    return submission == .register ? prove() : verify([.phone], at: now)
  }

  // MARK: The proof

  private mutating func prove() -> [Effect] {
    isProving = true
    let factor = form.text(.factor)
    return [
      .start(
        .prove(IdentityProof(form.text(.password), factor: factor.isEmpty ? nil : factor)))
    ]
  }

  private mutating func finishProof(_ refusal: ScreenFailure?, at now: Duration) -> [Effect] {
    isProving = false
    guard let refusal else {
      hasProved = true
      return verify(submission == .register ? changedContacts : [.phone], at: now)
    }
    submission = nil
    failure = refusal
    if refusal.isRefused("secondFactorNeeded") {
      askForFactor()
    } else if form[.factor] == nil {
      _ = form.send(.reset(.password))
    } else {
      _ = form.send(.reset(.factor))
    }
    return []
  }

  /// Adds a field for the code of the second factor to the form and to the group of `register`.
  private mutating func askForFactor() {
    _ = form.declare(FieldDeclaration(.factor, label: "code of your second factor"))
    _ = form.declare(
      FormGroup("register", fields: [.email, .password, .phone, .factor], controls: [.register]))
  }

  private var changedContacts: [CodeContact] {
    CodeContact.allCases.filter { contact in
      switch contact {
      case .email: form.text(.email) != contacts.email || !contacts.isEmailVerified
      case .phone: form.text(.phone) != contacts.phone
      }
    }
  }

  // MARK: The codes

  /// Sends a code to the first of these contacts; the others follow when it is verified.
  private mutating func verify(_ queue: [CodeContact], at now: Duration) -> [Effect] {
    self.queue = queue
    guard let contact else {
      isOver = submission == .register
      showForm()
      return []
    }
    return send(.input(.contact(.typed(form.text(contact.field)))), at: now)
      + send(.input(.contact(.submit)), at: now)
  }

  private mutating func handle(
    _ answer: CodeFlow.Answer, of contact: CodeContact, at now: Duration
  ) -> [Effect] {
    guard contact == self.contact else {
      // The countdown of the other contact goes on.
      return flows[contact]?.receive(.answer(answer), at: now).compactMap {
        if case .start(let work) = $0 { .start(.code(contact, work)) } else { nil }
      } ?? []
    }
    let effects = send(.answer(answer), at: now)
    guard let flow else { return effects }
    if flow.isOver { return effects + finish(contact, at: now) }
    if flow.step == .code {
      step = .code
    } else if let failure = flow.failure, !flow.isLoading {
      return effects + refuse(failure)
    }
    return effects
  }

  private mutating func finish(_ contact: CodeContact, at now: Duration) -> [Effect] {
    switch contact {
    case .email:
      contacts.email = form.text(.email)
      contacts.isEmailVerified = true
    case .phone: contacts.phone = form.text(.phone)
    }
    // The next code may go to another address.
    flows[contact]?.reopen()
    let effects: [Effect] = [.emit(.verified(contact))] + send(.input(.back), at: now)
    step = .form
    return effects + verify(Array(queue.dropFirst()), at: now)
  }

  /// The code could not be sent. A proof that is too old is given again, where the password is there.
  private mutating func refuse(_ failure: ScreenFailure) -> [Effect] {
    let canProve = !hasProved && form[.password]?.isValid == true
    queue = []
    if failure.isRefused("proofNeeded"), canProve { return prove() }
    showForm()
    self.failure = failure
    return []
  }

  private mutating func showForm() {
    step = .form
    queue = []
    submission = nil
  }

  /// Sends an event to the code of the current contact; its form is this screen's form.
  private mutating func send(_ event: CodeFlow.Event, at now: Duration) -> [Effect] {
    guard let contact else { return [] }
    return (flows[contact]?.receive(event, at: now) ?? []).compactMap { effect in
      switch effect {
      case .start(let work): .start(.code(contact, work))
      case .emit(.code(let output)): .emit(.code(output))
      case .emit(.contact), .emit(.step): nil
      }
    }
  }
}

extension ScreenFailure {
  fileprivate func isRefused(_ code: String) -> Bool {
    if case .refused(let refusal) = self { refusal.code == code } else { false }
  }
}

/// The password of the person who is logged in, with the code of their second factor if they have
/// one. Descriptions and dumps leave both out.
public struct IdentityProof: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  public let password: String
  public let factor: String?

  public init(_ password: String, factor: String? = nil) {
    self.password = password
    self.factor = factor
  }

  public var description: String { "IdentityProof" }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Proves the identity of the person who is logged in.
public protocol IdentityProofService: Sendable {
  /// - Throws: `refused`, such as `wrongPassword` or `secondFactorNeeded`; `network`.
  func prove(_ proof: IdentityProof) async throws(ScreenFailure)
}

extension ContactSettings {
  /// Runs the screen with the services that prove an identity and verify each kind of contact.
  public func driver(
    _ identity: some IdentityProofService, email: some CodeService & CodeRequestService,
    phone: some CodeService & CodeRequestService, clock: some TheaterClock = SystemClock()
  ) -> ScreenDriver<ContactSettings> {
    ScreenDriver(self, clock: clock) { work in
      switch work {
      case .prove(let proof):
        do throws(ScreenFailure) {
          try await identity.prove(proof)
          return .proved(nil)
        } catch {
          return .proved(error)
        }
      case .code(.email, let work):
        return await CodeFlow.perform(work, by: email, clock).map { .code(.email, $0) }
      case .code(.phone, let work):
        return await CodeFlow.perform(work, by: phone, clock).map { .code(.phone, $0) }
      }
    }
  }
}
