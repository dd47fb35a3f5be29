import Foundation

/// Films that are begun over HTTP.
struct FilmBenchmark {
  private let load: HTTPLoad
  private let count: Int
  private let path: String
  private let body: String

  /// How many films are begun in turn; the first turn warms caches on both sides and does not count.
  private static let turn = 50

  /// - Parameter arguments: The port, how many films to begin, the path, and the film's title.
  init?(_ arguments: [String]) {
    guard let port = UInt16(arguments[0]), let count = Int(arguments[1]),
      let load = HTTPLoad(port: port, token: token())
    else { return nil }
    self.load = load
    self.count = count
    path = arguments[2]
    body = "{\"item\": \"\(arguments[3])\", \"fromStart\": true}"
  }

  /// Begins and ends the film, and prints how long its begin takes.
  func measureFirst() {
    _ = times(Self.turn, ending: true)
    print(Figures(times(count, ending: true)).line)
  }

  /// Takes turns between beginning the film after its end and beginning it again while it plays, so
  /// that both see the same machine, and prints how long its begin takes: `first` and `again`.
  func measureAgain() {
    var first: [Duration] = []
    var again: [Duration] = []
    for turn in 0...(count / Self.turn) {
      let ended = times(Self.turn, ending: true)
      _ = post(path, body)
      let playing = times(Self.turn, ending: false)
      _ = post("/api/v1/end", "{}")
      guard turn > 0 else { continue }
      first += ended
      again += playing
    }
    print("{\"first\": \(Figures(first).line), \"again\": \(Figures(again).line)}")
  }

  private func times(_ count: Int, ending: Bool) -> [Duration] {
    (0..<count).map { _ in
      let time = post(path, body)
      if ending { _ = post("/api/v1/end", "{}") }
      return time
    }
  }

  private func post(_ path: String, _ body: String) -> Duration {
    let began = ContinuousClock.now
    guard load.post(path, body) == 200 else {
      writeError("\(path) failed")
      exit(1)
    }
    return ContinuousClock.now - began
  }
}
