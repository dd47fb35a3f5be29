import Platform
import Validation

/// The typed members of a new access token.
public struct NewAccessToken: Sendable, Hashable {
  public let name: String
  /// What it may do; at least one word.
  public let permissions: [String]
  /// For how long it is valid, 1...730.
  public let days: Int

  public init(_ name: String, may permissions: [String], days: Int) {
    self.name = name
    self.permissions = permissions
    self.days = days
  }
}

/// The form for a new access token: a name, what it may do, and a number of days.
public struct AccessTokenScreen: ScreenModel {
  /// An action of the person.
  public enum Input: Sendable, Hashable {
    /// The text of a field after a keystroke.
    case typed(FieldName, String)
    /// A field lost the focus.
    case left(FieldName)
    /// The button, or Enter.
    case submit
  }

  /// A notification for the front end.
  public enum Output: Sendable, Hashable {
    /// The button was enabled or disabled.
    case canSubmit(Bool)
    /// The token can be created.
    case chosen(NewAccessToken)
  }

  /// The screen asks no service.
  public typealias Work = Never
  /// No service answers.
  public typealias Answer = Never

  /// The fields and the group of `AccountForm.accessToken`.
  public private(set) var form: Form
  /// The typed token, which ends the screen.
  public private(set) var token: NewAccessToken?

  /// - Parameter values: What is known already; the usual validity is 90 days.
  public init(values: [FieldName: String] = [:]) {
    form = Form(
      AccountForm.accessToken.declaration(.standard),
      values: [.days: "90"].merging(values) { $1 })
  }

  public var isLoading: Bool { false }
  /// Whether the person has submitted a valid token.
  public var isOver: Bool { token != nil }
  /// Whether the button is enabled.
  public var canSubmit: Bool { !isOver && form.isEnabled(.create) }

  public mutating func receive(_ event: Event, at now: Duration) -> [Effect] {
    guard case .input(let input) = event, !isOver else { return [] }
    let before = canSubmit
    switch input {
    case .typed(let field, let text): _ = form.send(.type(field, text))
    case .left(let field): _ = form.send(.leave(field))
    case .submit:
      _ = form.send(.submit("create"))
      if form.isEnabled(.create) { token = typed }
    }
    return (canSubmit == before ? [] : [.emit(.canSubmit(canSubmit))])
      + (token.map { [.emit(.chosen($0))] } ?? [])
  }

  private var typed: NewAccessToken? {
    let words = form.text(.permissions).split { $0 == "," || $0 == " " }.map(String.init)
    guard let days = Int(form.text(.days)), !words.isEmpty else { return nil }
    return NewAccessToken(form.text(.name), may: words, days: days)
  }
}

extension AccessTokenScreen {
  /// Runs the screen, which asks no service.
  public func driver() -> ScreenDriver<AccessTokenScreen> {
    ScreenDriver(self, clock: SystemClock(), perform: Self.perform)
  }

  private static func perform(_ work: Work) async -> Answer? {}
}
