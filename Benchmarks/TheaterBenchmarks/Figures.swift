import Foundation

/// Times in microseconds, and what is quoted of them.
struct Figures {
  private var sorted: [Double]

  init(_ times: [Duration]) {
    sorted = times.map { $0 / .microseconds(1) }.sorted()
  }

  /// The time that `part` (0 to 1) of the samples do not exceed, in microseconds.
  func percentile(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }

  /// `{"count": …, "p50": …, "p90": …, "p99": …}`, one line for the program that compares.
  var line: String {
    let p50 = (percentile(0.5) * 10).rounded() / 10
    let p90 = (percentile(0.9) * 10).rounded() / 10
    let p99 = (percentile(0.99) * 10).rounded() / 10
    return "{\"count\": \(sorted.count), \"p50\": \(p50), \"p90\": \(p90), \"p99\": \(p99)}"
  }
}

/// Says on the standard error what went wrong.
func writeError(_ message: String) {
  FileHandle.standardError.write(Data((message + "\n").utf8))
}
