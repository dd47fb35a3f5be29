import Devices
import Foundation

/// When a request may join the line (E5).
package enum RequestAdmission: Sendable {
  case now
  /// After this long.
  case after(Duration)
  /// At this time of day; a wall clock that is set meanwhile counts.
  case at(Date)
  /// When this returns. What it throws refuses the request.
  case when(@Sendable () async throws(AccountError) -> Void)

  /// How long a wait for a time of day goes on without a look at the wall clock.
  private static let longestLook: TimeInterval = 60

  /// Waits until the request may join.
  /// - Throws: why it may not: `cancelled`, or what its condition says.
  func holds(_ clock: any TheaterClock, _ wall: WallClock) async throws(AccountError) {
    do {
      switch self {
      case .now: break
      case .after(let delay): try await clock.sleep(until: clock.now() + delay)
      case .at(let date):
        while case let rest = date.timeIntervalSince(wall.now()), rest > 0 {
          try await clock.sleep(until: clock.now() + .seconds(min(rest, Self.longestLook)))
        }
      case .when(let condition): try await condition()
      }
    } catch let error as AccountError {
      throw error
    } catch {
      throw .cancelled
    }
  }
}
