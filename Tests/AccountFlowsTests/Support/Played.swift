import AccountFlows

/// A screen that a test plays by hand, without tasks: it collects the outputs and the pending work.
struct Played<Screen: ScreenModel> {
  private(set) var screen: Screen
  private(set) var outputs: [Screen.Output] = []
  private(set) var work: [Screen.Work] = []
  var now = Duration.zero

  init(_ screen: Screen) {
    self.screen = screen
    receive(.appeared)
  }

  mutating func receive(_ event: Screen.Event) {
    for effect in screen.receive(event, at: now) {
      switch effect {
      case .emit(let output): outputs.append(output)
      case .start(let work): self.work.append(work)
      }
    }
  }

  mutating func send(_ inputs: Screen.Input...) { for input in inputs { receive(.input(input)) } }
  mutating func answer(_ answer: Screen.Answer) { receive(.answer(answer)) }

  /// The outputs since the last call.
  mutating func newOutputs() -> [Screen.Output] {
    defer { outputs = [] }
    return outputs
  }

  /// The work that was requested since the last call.
  mutating func newWork() -> [Screen.Work] {
    defer { work = [] }
    return work
  }
}
