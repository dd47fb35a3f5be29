import Devices

/// A screen as it is after an event, and what it told.
package struct ScreenChange<Screen: ScreenModel>: Sendable {
  package let screen: Screen
  package let outputs: [Screen.Output]
}

/// Brings a screen to life: hands it events one at a time, and does the work that it asks for.
///
/// When `run` returns or is cancelled, nothing that the screen started goes on.
package actor ScreenDriver<Screen: ScreenModel> {
  /// Does a piece of work; no answer when the work was cut short by the end of the screen.
  package typealias Performer = @Sendable (Screen.Work) async -> Screen.Answer?

  /// The screen as it is now.
  package private(set) var screen: Screen
  /// Every change, beginning with the first appearance; ends with the screen. For one listener.
  package nonisolated let changes: AsyncStream<ScreenChange<Screen>>
  private let listener: AsyncStream<ScreenChange<Screen>>.Continuation
  private let work: AsyncStream<Screen.Work>
  private let desk: AsyncStream<Screen.Work>.Continuation
  private let clock: any TheaterClock
  private let perform: Performer
  private var hasAppeared = false
  private var hasEnded = false

  package init(_ screen: Screen, clock: any TheaterClock, perform: @escaping Performer) {
    self.screen = screen
    self.clock = clock
    self.perform = perform
    (changes, listener) = AsyncStream.makeStream()
    (work, desk) = AsyncStream.makeStream()
  }

  /// Hands in what a person did; what comes after the end is dropped.
  /// - Returns: The screen after it.
  @discardableResult
  package func send(_ input: Screen.Input) -> Screen {
    appear()
    take(.input(input))
    return screen
  }

  /// Does the work, once, until the screen is over or the task is cancelled.
  /// - Returns: The screen as it was at its end.
  @discardableResult
  package func run() async -> Screen {
    appear()
    await withDiscardingTaskGroup { group in
      for await work in work {
        group.addTask { await self.answer(work) }
      }
      group.cancelAll()
    }
    end()
    return screen
  }

  private func answer(_ work: Screen.Work) async {
    if let answer = await perform(work) { take(.answer(answer)) }
  }

  private func appear() {
    guard !hasAppeared else { return }
    hasAppeared = true
    take(.appeared)
  }

  private func take(_ event: Screen.Event) {
    guard !hasEnded else { return }
    var outputs: [Screen.Output] = []
    for effect in screen.receive(event, at: clock.now()) {
      switch effect {
      case .tell(let output): outputs.append(output)
      case .start(let work): desk.yield(work)
      }
    }
    listener.yield(ScreenChange(screen: screen, outputs: outputs))
    if screen.isOver { end() }
  }

  private func end() {
    hasEnded = true
    desk.finish()
    listener.finish()
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
