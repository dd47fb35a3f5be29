import Foundation

/// The time of day, for what expires and what is shown; whole milliseconds, so that a store gives
/// back what it got.
package struct WallClock: Sendable {
  private let read: @Sendable () -> Date

  /// - Parameter read: tells the time; a test hands in its own.
  package init(_ read: @escaping @Sendable () -> Date) {
    self.read = read
  }

  /// The clock of the machine.
  package static let system = WallClock { Date() }

  /// The time now, rounded to a millisecond.
  package func now() -> Date { Date(milliseconds: read().milliseconds) }
}

extension Date {
  /// Takes milliseconds since 1970, the form in which stores keep dates.
  package init(milliseconds: Int64) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// Milliseconds since 1970, clamped to what an integer holds.
  package var milliseconds: Int64 {
    let value = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: value) ?? (value < 0 ? .min : .max)
  }
}
