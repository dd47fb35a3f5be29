/// The current epoch of a connection by the messages of its source. It rejects messages that break the
/// protocol.
struct CableEpoch {
  private(set) var number: UInt32 = 0
  /// The format of the frames; `nil` before the first epoch.
  private(set) var format: CableFormat?
  private(set) var hasEnded = false
  var credit = CableCredit()

  /// Begins the epoch of a `format` message.
  mutating func begin(_ number: UInt32, _ format: CableFormat) throws(CableError) {
    guard number == self.number &+ 1 else {
      throw CableError(.violation, "Epoch \(number) does not follow epoch \(self.number).")
    }
    self = CableEpoch(number: number, format: format)
  }

  /// Begins the epoch of a `flush` message, and returns its format.
  mutating func flush(_ number: UInt32) throws(CableError) -> CableFormat {
    guard let format else { throw CableError(.violation, "flush needs a format before it.") }
    try begin(number, format)
    return format
  }

  /// Accepts `bytes` of sound of an epoch, and returns their format.
  mutating func accept(_ bytes: Int, of number: UInt32) throws(CableError) -> CableFormat {
    guard let format, number == self.number, !hasEnded else {
      throw CableError(
        .violation,
        "The source sent sound without a format, after `end`, or of another epoch than "
          + "\(self.number).")
    }
    let (frames, rest) = bytes.quotientAndRemainder(dividingBy: format.frameBytes)
    guard frames > 0, rest == 0 else {
      throw CableError(.violation, "Sound comes in whole frames of \(format.frameBytes) bytes.")
    }
    try credit.use(frames)
    return format
  }

  /// Ends the epoch of an `end` message, and returns its format.
  mutating func end(_ number: UInt32) throws(CableError) -> CableFormat {
    guard let format, number == self.number, !hasEnded else {
      throw CableError(
        .violation,
        "The source sent `end` without a format, twice, or of another epoch than \(self.number).")
    }
    hasEnded = true
    return format
  }
}

/// The credit of an epoch: the frames that came, and the limit up to which they may come.
struct CableCredit {
  private(set) var received: UInt64 = 0
  private(set) var limit: UInt64 = 0

  /// Uses credit for frames that came.
  mutating func use(_ frames: Int) throws(CableError) {
    guard UInt64(frames) <= limit - received else {
      throw CableError(.violation, "\(frames) frames came for \(limit - received) of credit.")
    }
    received += UInt64(frames)
  }

  /// Raises the limit to what the ring takes. A step of less than a quarter of the ring is not worth a
  /// message while the source has credit or the ring holds sound.
  ///
  /// - Parameters:
  ///   - free: The frames for which the ring has room.
  ///   - whole: The frames of the ring's time.
  /// - Returns: Whether the limit has changed.
  mutating func extend(by free: Int, of whole: Int, isRingEmpty: Bool) -> Bool {
    let target = received + UInt64(max(0, free))
    guard target > limit else { return false }
    let isWorthIt = target - limit >= UInt64(max(1, whole / 4))
    guard isWorthIt || limit == 0 || (limit == received && isRingEmpty) else { return false }
    limit = target
    return true
  }
}
