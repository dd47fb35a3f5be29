import JSON

/// What the cases must not do to the devices of a plugin, which may be real.
package struct CheckRestrictions: Sendable, Hashable {
  /// Whether at most one device is open at any time, for a device that takes a single connection. A process of the
  /// plugin is then ended by the end of its input, so that it can close the connection.
  package var opensOneDevice: Bool
  /// The highest volume that is sent, in %; `nil` for the whole range.
  package var loudest: Int?

  package init(opensOneDevice: Bool = false, loudest: Int? = nil) {
    self.opensOneDevice = opensOneDevice
    self.loudest = loudest
  }

  /// Returns whether a command, valid or not, could set a volume above the highest one.
  func forbids(_ command: JSON?) -> Bool {
    guard let loudest, let argument = command?["volume"] else { return false }
    return Self.numbers(in: argument).contains { $0 > Double(loudest) }
  }

  /// Returns the numbers that a careless plugin could read from an argument.
  private static func numbers(in argument: JSON) -> [Double] {
    switch argument {
    case .null: []
    case .bool(let isTrue): [isTrue ? 1 : 0]
    case .string(let text): Double(text).map { [$0] } ?? []
    case .array(let values): values.flatMap(numbers)
    case .object(let members): members.flatMap { numbers(in: $1) }
    default: argument.number.map { [$0] } ?? []
    }
  }

  /// Fails the case if it needs several open devices.
  ///
  /// - Throws: `NotApplicable`.
  func requireSeveralDevices() throws {
    if opensOneDevice {
      throw NotApplicable.because("only one device is opened at a time")
    }
  }
}
