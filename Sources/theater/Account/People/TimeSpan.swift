import ArgumentParser

/// A length of time as people type it: `30m`, `6h`, `7d`.
struct TimeSpan: ExpressibleByArgument, Sendable, Hashable {
  let seconds: Int

  init(seconds: Int) { self.seconds = seconds }

  init?(argument: String) {
    guard let unit = argument.last, let length = Self.units[unit],
      let count = Int(argument.dropLast()), (1...100_000).contains(count)
    else { return nil }
    seconds = count * length
  }

  private static let units: [Character: Int] = ["m": 60, "h": 3600, "d": 86_400]
}
