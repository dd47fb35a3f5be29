import Devices

/// A screen as it is after an event, and what it told.
package struct ScreenChange<Screen: ScreenModel>: Sendable {
  package let screen: Screen
  package let outputs: [Screen.Output]
}

/// Brings a screen to life: hands it events one at a time, and does the work that it asks for.
///
/// The screen itself lives in the one task that runs `run`. When that returns or is cancelled,
/// nothing that it started goes on.
package struct ScreenDriver<Screen: ScreenModel>: Sendable {
  /// Does a piece of work; no answer when the work was cut short by the end of the screen.
  package typealias Performer = @Sendable (Screen.Work) async -> Screen.Answer?

  /// Every change, beginning with the first appearance; ends with the screen. For one listener.
  package let changes: AsyncStream<ScreenChange<Screen>>
  private let screen: Screen
  private let clock: any TheaterClock
  private let perform: Performer
  private let listener: AsyncStream<ScreenChange<Screen>>.Continuation
  private let events: AsyncStream<Screen.Event>
  private let inbox: AsyncStream<Screen.Event>.Continuation

  package init(_ screen: Screen, clock: any TheaterClock, perform: @escaping Performer) {
    self.screen = screen
    self.clock = clock
    self.perform = perform
    (changes, listener) = AsyncStream.makeStream()
    (events, inbox) = AsyncStream.makeStream()
  }

  /// Hands in what a person did; what comes after the end is dropped.
  package func send(_ input: Screen.Input) { inbox.yield(.input(input)) }

  /// Runs the screen, once, until it is over or the task is cancelled.
  /// - Returns: The screen as it was at its end.
  @discardableResult
  package func run() async -> Screen {
    var screen = screen
    await withDiscardingTaskGroup { group in
      take(.appeared, by: &screen, in: &group)
      for await event in events {
        take(event, by: &screen, in: &group)
        if screen.isOver { break }
      }
      group.cancelAll()
    }
    inbox.finish()
    listener.finish()
    return screen
  }

  private func take(
    _ event: Screen.Event, by screen: inout Screen, in group: inout DiscardingTaskGroup
  ) {
    var outputs: [Screen.Output] = []
    for effect in screen.receive(event, at: clock.now()) {
      switch effect {
      case .tell(let output): outputs.append(output)
      case .start(let work):
        group.addTask { if let answer = await perform(work) { inbox.yield(.answer(answer)) } }
      }
    }
    listener.yield(ScreenChange(screen: screen, outputs: outputs))
  }
}

extension Result where Success: Sendable {
  /// What `body` returns or throws.
  init(of body: () async throws(Failure) -> Success) async {
    do throws(Failure) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
