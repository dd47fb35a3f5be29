/// The logic of a screen without its presentation: receives events one after another and returns
/// effects.
///
/// A value without clock, task or service of its own, so that tests need none. Its properties are the
/// state that a front end shows.
public protocol ScreenModel: Sendable {
  /// Actions of the person.
  associatedtype Input: Sendable
  /// Notifications for the front end.
  associatedtype Output: Sendable
  /// Requests to services and the clock.
  associatedtype Work: Sendable
  /// Results of that work.
  associatedtype Answer: Sendable

  typealias Event = ScreenEvent<Input, Answer>
  typealias Effect = ScreenEffect<Output, Work>

  /// Applies an event.
  /// - Parameter now: The monotonic time.
  mutating func receive(_ event: Event, at now: Duration) -> [Effect]

  /// Whether a request is running and progress is shown.
  var isLoading: Bool { get }
  /// Whether the screen has ended.
  var isOver: Bool { get }
}

/// An event of a screen.
public enum ScreenEvent<Input: Sendable, Answer: Sendable>: Sendable {
  /// The screen appears. This is its first event.
  case appeared
  /// The person has done something.
  case input(Input)
  /// Work of the screen has ended.
  case answer(Answer)
}

/// An effect of an event.
public enum ScreenEffect<Output: Sendable, Work: Sendable>: Sendable {
  /// Sends this output to the front end.
  case emit(Output)
  /// Starts this work; its result comes back as an answer.
  case start(Work)
}

extension ScreenEffect {
  /// Returns this effect as an effect of a screen that contains this one.
  func map<OuterOutput, OuterWork>(
    _ output: (Output) -> OuterOutput, _ work: (Work) -> OuterWork
  ) -> ScreenEffect<OuterOutput, OuterWork> {
    switch self {
    case .emit(let emitted): .emit(output(emitted))
    case .start(let started): .start(work(started))
    }
  }
}

extension ScreenEffect: Equatable where Output: Equatable, Work: Equatable {}
