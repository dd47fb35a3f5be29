/// A screen without a look: it takes what happens, one event after another, and says what to do.
///
/// A value without clock, task or service of its own, so that a test plays any evening in a line.
/// What it keeps is what a front end shows.
package protocol ScreenModel: Sendable {
  /// What a person does.
  associatedtype Input: Sendable
  /// What the front end is told.
  associatedtype Output: Sendable
  /// What services and the clock have to do for it.
  associatedtype Work: Sendable
  /// What came of that work.
  associatedtype Answer: Sendable

  typealias Event = ScreenEvent<Input, Answer>
  typealias Effect = ScreenEffect<Output, Work>

  /// Takes an event.
  /// - Parameter now: The monotonic time.
  mutating func receive(_ event: Event, at now: Duration) -> [Effect]

  /// Whether something is asked, and progress is shown.
  var isLoading: Bool { get }
  /// Whether there is nothing more to come.
  var isOver: Bool { get }
}

/// Something that happens to a screen.
package enum ScreenEvent<Input: Sendable, Answer: Sendable>: Sendable {
  /// Once, before everything else.
  case appeared
  case input(Input)
  case answer(Answer)
}

/// Something that a screen wants.
package enum ScreenEffect<Output: Sendable, Work: Sendable>: Sendable {
  case tell(Output)
  case start(Work)
}

extension ScreenEffect: Equatable where Output: Equatable, Work: Equatable {}
