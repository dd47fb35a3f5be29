import AccountFlows

@testable import theater

/// A style without colours.
let plain = ANSIStyle(hasColour: false)
/// The texts that are compiled in, whatever the language of the machine.
let english = Texts(language: nil, folder: "")

/// A view and its screen, driven key by key without a terminal.
struct ViewHarness<View: TerminalView> {
  var view: View
  var screen: View.Screen
  var work: [View.Screen.Work] = []

  init(_ view: View, _ screen: View.Screen) {
    (self.view, self.screen) = (view, screen)
    receive(.appeared)
  }

  mutating func receive(_ event: View.Screen.Event) {
    for effect in screen.receive(event, at: .zero) {
      if case .start(let work) = effect { self.work.append(work) }
    }
    for input in view.knownInputs(for: screen) { receive(.input(input)) }
  }

  mutating func press(_ keys: Key...) {
    for key in keys {
      for input in view.inputs(for: key, on: screen) { receive(.input(input)) }
    }
  }

  mutating func type(_ text: String) {
    for character in text { press(.text(String(character))) }
  }

  var text: String { view.lines(screen, turn: 0).joined(separator: "\n") }
}
