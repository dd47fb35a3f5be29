import Foundation
import Platform
import Synchronization

/// Small requests over HTTP: one light command beside a GET, and scenes run by many callers at once.
enum SmallRequests {
  private static let lights = "/api/v1/devices/lights"

  /// Takes turns between a GET of the lights and a command to them, so that both see the same machine,
  /// and prints how long each takes: `get` and `command`.
  static func measureLight(port: UInt16, token: String, count: Int) {
    guard let load = HTTPLoad(port: port, token: token) else { fail("no connection") }
    defer { load.close() }
    var gets: [Duration] = []
    var commands: [Duration] = []
    // The first tenth warms caches on both sides and does not count.
    for number in -(count / 10)..<count {
      let get = time { load.get(lights) }
      let command = time { load.post("\(lights)/commands", #"{"dim": \#(abs(number) % 100)}"#) }
      guard number >= 0 else { continue }
      gets.append(get)
      commands.append(command)
    }
    print("{\"get\": \(Figures(gets).line), \"command\": \(Figures(commands).line)}")
  }

  /// Lets `callers` run the scene at the path in turn, each over a connection of its own, and prints how
  /// many runs a second end and how long each takes.
  static func measureRuns(port: UInt16, token: String, path: String, callers: Int, seconds: Int) {
    let times = Mutex<[Duration]>([])
    let end = ContinuousClock.now + .seconds(seconds)
    let threads = (0..<callers).compactMap { number in
      try? SystemThread(name: "caller \(number)") {
        guard let load = HTTPLoad(port: port, token: token) else { fail("no connection") }
        defer { load.close() }
        var own: [Duration] = []
        while ContinuousClock.now < end { own.append(time { load.post(path, "{}") }) }
        times.withLock { [own] in $0 += own }
      }
    }
    for thread in threads { thread.join() }
    let all = times.withLock { $0 }
    print("{\"perSecond\": \(all.count / seconds), \"run\": \(Figures(all).line)}")
  }

  private static func time(_ ask: () -> Int?) -> Duration {
    let began = ContinuousClock.now
    let status = ask()
    guard status == 200 else {
      fail("the answer's status is \(status.map(String.init) ?? "missing")")
    }
    return ContinuousClock.now - began
  }

  private static func fail(_ reason: String) -> Never {
    writeError("small requests: \(reason)")
    exit(1)
  }
}
