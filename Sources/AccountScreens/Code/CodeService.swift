/// Where codes are sent from and checked.
package protocol CodeService: Sendable {
  /// Checks a code.
  func verify(_ code: String) async throws(ScreenFailure) -> Authorization
  /// Sends a new code; the old one is void.
  func sendAgain() async throws(ScreenFailure) -> CodeTicket
}

/// What a right code brought.
package enum Authorization: Sendable, Hashable {
  case done
  /// The person is known now, but has to say more.
  case personalDataNeeded
}

/// That a code is on its way.
package struct CodeTicket: Sendable, Hashable {
  /// How many digits it has, 1...32.
  package let length: Int
  /// Seconds until another may be asked for, 0...86,400.
  package let wait: Int
  /// Where it was sent to, as the person may read it; may be shortened: `a…@example.org`.
  package let destination: String?

  /// Values beyond the ranges become the nearest within.
  package init(length: Int = 6, wait: Int, destination: String? = nil) {
    self.length = min(max(length, 1), 32)
    self.wait = Self.bounded(wait)
    self.destination = destination
  }

  static func bounded(_ wait: Int) -> Int { min(max(wait, 0), 86_400) }
}
