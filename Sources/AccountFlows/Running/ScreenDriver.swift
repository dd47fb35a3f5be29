import Platform

/// A screen after an event, and the outputs of that event.
public struct ScreenChange<Screen: ScreenModel>: Sendable {
  /// The screen after the event.
  public let screen: Screen
  /// The outputs of the event, in order.
  public let outputs: [Screen.Output]
}

/// Runs a screen: sends it events one at a time, and performs its work. When `run` returns or is
/// cancelled, all of that work has ended.
public actor ScreenDriver<Screen: ScreenModel> {
  /// Performs a piece of work; nil when it has no answer, or when the end of the screen cut it
  /// short.
  public typealias Performer = @Sendable (Screen.Work) async -> Screen.Answer?

  /// The screen as it is now.
  public private(set) var screen: Screen
  /// All changes, beginning with the appearance. The stream ends with the screen and serves one
  /// subscriber.
  public nonisolated let changes: AsyncStream<ScreenChange<Screen>>
  private let subscriber: AsyncStream<ScreenChange<Screen>>.Continuation
  private let work: AsyncStream<Screen.Work>
  private let workQueue: AsyncStream<Screen.Work>.Continuation
  private let clock: any TheaterClock
  private let perform: Performer
  private var hasAppeared = false
  private var hasEnded = false

  /// - Parameters:
  ///   - clock: The clock of countdowns; tests inject their own.
  ///   - perform: Does the work of the screen and returns its answer.
  public init(_ screen: Screen, clock: any TheaterClock, perform: @escaping Performer) {
    self.screen = screen
    self.clock = clock
    self.perform = perform
    (changes, subscriber) = AsyncStream.makeStream()
    (work, workQueue) = AsyncStream.makeStream()
  }

  /// Sends an input to the screen; inputs after its end are dropped.
  /// - Returns: The screen after the input.
  @discardableResult
  public func send(_ input: Screen.Input) -> Screen {
    appear()
    receive(.input(input))
    return screen
  }

  /// Performs the work until the screen is over or the task is cancelled. Call it once.
  /// - Returns: The screen as it was at its end.
  @discardableResult
  public func run() async -> Screen {
    appear()
    await withDiscardingTaskGroup { group in
      for await work in work {
        group.addTask { await self.execute(work) }
      }
      group.cancelAll()
    }
    end()
    return screen
  }

  private func execute(_ work: Screen.Work) async {
    if let answer = await perform(work) { receive(.answer(answer)) }
  }

  private func appear() {
    guard !hasAppeared else { return }
    hasAppeared = true
    receive(.appeared)
  }

  private func receive(_ event: Screen.Event) {
    guard !hasEnded else { return }
    var outputs: [Screen.Output] = []
    for effect in screen.receive(event, at: clock.now()) {
      switch effect {
      case .emit(let output): outputs.append(output)
      case .start(let work): workQueue.yield(work)
      }
    }
    subscriber.yield(ScreenChange(screen: screen, outputs: outputs))
    if screen.isOver { end() }
  }

  private func end() {
    hasEnded = true
    workQueue.finish()
    subscriber.finish()
  }
}

extension Result where Success: Sendable {
  /// Makes the result of `body`, with the error that it throws.
  init(of body: () async throws(Failure) -> Success) async {
    do throws(Failure) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
