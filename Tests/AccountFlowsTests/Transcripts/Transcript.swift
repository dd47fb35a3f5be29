import AccountFlows
import JSON
import TestSupport

/// The reactions of a screen to a row of events: after each event its effects and what changed of its state, as
/// the page's own screens must show them too (Tests/PageTests/test_flows.py).
struct Transcript {
  let flow: String
  private(set) var lines: [JSON] = []

  /// The transcript for the document.
  var json: JSON { ["flow": .string(flow), "lines": .array(lines)] }
}

/// A screen whose events, effects and state have a form for transcripts.
protocol TranscribedScreen: ScreenModel {
  /// An event as a person, a service or the clock may cause it now.
  /// - Parameter pending: The work without an answer, oldest first.
  func nextEvent(pending: [Work], from numbers: inout SeededNumbers) -> TranscribedEvent<Self>
  static func json(of output: Output) -> JSON
  static func json(of work: Work) -> JSON
  /// Whether an answer to `work` comes later; the others end at once.
  static func isAnswered(_ work: Work) -> Bool
  /// The state that a page shows.
  var state: JSON { get }
}

/// An event with its form for the transcript.
struct TranscribedEvent<Screen: ScreenModel> {
  let event: Screen.Event
  let json: JSON
  /// The place of the pending work that the event answers; nil for an input.
  var answered: Int?
  /// The earliest time of the event.
  var earliest: Duration?

  /// An input of the person.
  init(_ input: Screen.Input, _ type: String, _ members: JSONObject = [:]) {
    event = .input(input)
    json = Self.json(type, members)
  }

  /// The answer to pending work.
  init(
    _ answer: Screen.Answer, to index: Int, _ type: String, _ members: JSONObject = [:],
    earliest: Duration? = nil
  ) {
    event = .answer(answer)
    answered = index
    self.earliest = earliest
    json = Self.json(type, members)
  }

  private static func json(_ type: String, _ members: JSONObject) -> JSON {
    var object: JSONObject = ["type": .string(type)]
    for (key, value) in members { object[key] = value }
    return .object(object)
  }
}

extension Transcript {
  /// Plays a screen with events that look random and are the same each time.
  init<Screen: TranscribedScreen>(_ flow: String, of screen: Screen, seed: Int, events: Int) {
    self.flow = flow
    var screen = screen
    // Neighbouring seeds give the same numbers, one place on.
    var numbers = SeededNumbers(seed * 10_000)
    var pending: [Screen.Work] = []
    var now = Duration.zero
    func receive(_ event: Screen.Event) -> JSON {
      .array(
        screen.receive(event, at: now).map { effect in
          switch effect {
          case .emit(let output): return Screen.json(of: output)
          case .start(let work):
            if Screen.isAnswered(work) { pending.append(work) }
            return Screen.json(of: work)
          }
        })
    }
    var shown: [String: JSON] = [:]
    func line(_ event: JSON, _ effects: JSON) -> JSON {
      let state = screen.state.members()
      defer { shown = Dictionary(uniqueKeysWithValues: state) }
      return [
        "at": .integer(now.milliseconds), "event": event, "effects": effects,
        "state": .object(JSONObject(state.filter { shown[$0.0] != $0.1 })),
      ]
    }
    lines.append(line(["type": "appeared"], receive(.appeared)))
    while lines.count < events, !screen.isOver {
      let next = screen.nextEvent(pending: pending, from: &numbers)
      if let index = next.answered { pending.remove(at: index) }
      now = max(
        now + .milliseconds(Int.random(in: 10...900, using: &numbers)), next.earliest ?? .zero)
      lines.append(line(next.json, receive(next.event)))
    }
  }
}

extension JSON {
  /// The members of an object and of its objects: `fields.email.text`.
  fileprivate func members(below path: String = "") -> [(String, JSON)] {
    guard let object else { return [(path, self)] }
    return object.flatMap { $0.value.members(below: path.isEmpty ? $0.key : "\(path).\($0.key)") }
  }
}

extension Duration {
  /// Whole milliseconds.
  var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension ScreenFailure {
  /// For transcripts: `refused codeWrong`, `network`.
  var summary: String {
    switch self {
    case .malformed(let field, _): "malformed \(field)"
    case .network: "network"
    case .refused(let refusal): "refused \(refusal.code)"
    case .notKept: "notKept"
    }
  }

  /// The failure as a service of the page returns it.
  var json: JSON {
    switch self {
    case .malformed(let field, _): ["kind": "malformed", "field": .string(field)]
    case .network: ["kind": "network"]
    case .notKept: ["kind": "notKept"]
    case .refused(let refusal):
      {
        var object: JSONObject = ["kind": "refused", "code": .string(refusal.code)]
        if let field = refusal.field { object["field"] = .string(field) }
        if let wait = refusal.retryAfter { object["retryAfter"] = .integer(wait) }
        if let tries = refusal.triesLeft { object["triesLeft"] = .integer(tries) }
        return .object(object)
      }()
    }
  }

  static func refusal(
    _ code: String, field: String? = nil, retryAfter: Int? = nil, triesLeft: Int? = nil
  ) -> ScreenFailure {
    .refused(
      Refusal(code, field: field, message: "no", retryAfter: retryAfter, triesLeft: triesLeft))
  }
}

extension Optional where Wrapped == ScreenFailure {
  var json: JSON { map { .string($0.summary) } ?? .null }
}

extension Array {
  func pick(_ numbers: inout SeededNumbers) -> Element {
    self[Int.random(in: indices, using: &numbers)]
  }
}
