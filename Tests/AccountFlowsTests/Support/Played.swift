import AccountFlows

/// A screen that a test plays by hand, without tasks: it keeps what was told and what is to be done.
struct Played<Screen: ScreenModel> {
  private(set) var screen: Screen
  private(set) var outputs: [Screen.Output] = []
  private(set) var work: [Screen.Work] = []
  var now = Duration.zero

  init(_ screen: Screen) {
    self.screen = screen
    take(.appeared)
  }

  mutating func take(_ event: Screen.Event) {
    for effect in screen.receive(event, at: now) {
      switch effect {
      case .tell(let output): outputs.append(output)
      case .start(let work): self.work.append(work)
      }
    }
  }

  mutating func send(_ inputs: Screen.Input...) { for input in inputs { take(.input(input)) } }
  mutating func answer(_ answer: Screen.Answer) { take(.answer(answer)) }

  /// The outputs since the last call.
  mutating func newOutputs() -> [Screen.Output] {
    defer { outputs = [] }
    return outputs
  }

  /// The work that was asked for since the last look.
  mutating func newWork() -> [Screen.Work] {
    defer { work = [] }
    return work
  }
}
