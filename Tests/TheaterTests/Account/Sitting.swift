import AccountFlows

@testable import theater

/// What tests paint with.
let plain = ANSIStyle(hasColour: false)

/// A face and its screen, played key by key without a terminal.
struct Sitting<Face: TerminalView> {
  var face: Face
  var screen: Face.Screen
  var work: [Face.Screen.Work] = []

  init(_ face: Face, _ screen: Face.Screen) {
    (self.face, self.screen) = (face, screen)
    take(.appeared)
  }

  mutating func take(_ event: Face.Screen.Event) {
    for effect in screen.receive(event, at: .zero) {
      if case .start(let work) = effect { self.work.append(work) }
    }
    for input in face.inputs(before: screen) { take(.input(input)) }
  }

  mutating func press(_ keys: Key...) {
    for key in keys {
      for input in face.inputs(for: key, on: screen) { take(.input(input)) }
    }
  }

  mutating func type(_ text: String) {
    for character in text { press(.text(String(character))) }
  }

  var text: String { face.lines(screen, turn: 0).joined(separator: "\n") }
}
