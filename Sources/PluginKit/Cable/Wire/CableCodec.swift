extension CableMessage {
  /// The bytes of this message; for `data` the header alone, which the frames must follow.
  package var encoded: [UInt8] {
    switch self {
    case .hello(let version, let token):
      Self.bytes(.hello, payload: Self.littleEndian(version) + Array(token.utf8))
    case .format(let epoch, let format):
      Self.bytes(
        .format, epoch: epoch,
        payload: Self.littleEndian(UInt32(clamping: format.rate))
          + [UInt8(clamping: format.channels), format.sample.rawValue, 0, 0]
          + Self.littleEndian(format.layout))
    case .data(let epoch, let count, let startsRecording):
      Self.header(
        CableHeader(
          .data, flags: startsRecording ? CableHeader.startFlag : 0, length: count, epoch: epoch))
    case .flush(let epoch):
      Self.bytes(.flush, epoch: epoch, payload: [])
    case .end(let epoch):
      Self.bytes(.end, epoch: epoch, payload: [])
    case .credit(let epoch, let limit, let heard):
      Self.bytes(
        .credit, flags: heard ? CableHeader.heardFlag : 0, epoch: epoch,
        payload: Self.littleEndian(limit))
    case .heard(let epoch, let frames, let delay, let time):
      Self.bytes(
        .heard, epoch: epoch,
        payload: Self.littleEndian(frames) + Self.littleEndian(time) + Self.littleEndian(delay))
    case .flushed(let epoch, let frames, let of):
      Self.bytes(.flushed, epoch: epoch, payload: Self.littleEndian(frames) + Self.littleEndian(of))
    case .drained(let epoch):
      Self.bytes(.drained, epoch: epoch, payload: [])
    case .close(let reason):
      Self.bytes(.close, payload: Array(reason.utf8.prefix(CableLimit.reply)))
    }
  }

  /// Decodes a checked header and its payload. The payload of `data` is not read.
  ///
  /// - Throws: `CableError` `violation` for a payload of the wrong length or a format that is not
  ///   allowed.
  init(_ header: CableHeader, payload: UnsafeRawBufferPointer) throws(CableError) {
    let epoch = header.epoch
    func requireLength(_ length: Int) throws(CableError) {
      guard payload.count == length else {
        throw CableError(
          .violation,
          "A \(header.kind) message has \(length) bytes of payload, not \(payload.count).")
      }
    }
    func u32(_ offset: Int) -> UInt32 {
      UInt32(littleEndian: payload.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
    func u64(_ offset: Int) -> UInt64 {
      UInt64(littleEndian: payload.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
    switch header.kind {
    case .hello:
      try requireLength(4 + CableLimit.token)
      self = .hello(version: u32(0), token: String(decoding: payload.dropFirst(4), as: UTF8.self))
    case .format:
      try requireLength(12)
      self = .format(epoch: epoch, try Self.format(payload, rate: u32(0), layout: u32(8)))
    case .data:
      self = .data(
        epoch: epoch, bytes: Int(header.length),
        startsRecording: header.flags & CableHeader.startFlag != 0)
    case .flush:
      try requireLength(0)
      self = .flush(epoch: epoch)
    case .end:
      try requireLength(0)
      self = .end(epoch: epoch)
    case .credit:
      try requireLength(8)
      let heard = header.flags & CableHeader.heardFlag != 0
      self = .credit(epoch: epoch, limit: u64(0), heard: heard)
    case .heard:
      try requireLength(20)
      self = .heard(epoch: epoch, frames: u64(0), delay: u32(16), time: u64(8))
    case .flushed:
      try requireLength(12)
      self = .flushed(epoch: epoch, frames: u64(0), of: u32(8))
    case .drained:
      try requireLength(0)
      self = .drained(epoch: epoch)
    case .close:
      self = .close(reason: String(decoding: payload.prefix(CableLimit.reply), as: UTF8.self))
    }
  }

  private static func format(
    _ payload: UnsafeRawBufferPointer, rate: UInt32, layout: UInt32
  ) throws(CableError) -> CableFormat {
    guard let sample = CableSampleFormat(rawValue: payload[5]) else {
      throw CableError(.violation, "The sample format \(payload[5]) is not known.")
    }
    guard
      let format = CableFormat(
        rate: Int(rate), channels: Int(payload[4]), sample: sample, layout: layout)
    else {
      throw CableError(
        .violation,
        "A format of \(rate) Hz, \(payload[4]) channels, layout \(layout) is not allowed. Allowed "
          + "are \(CableLimit.rates) Hz, \(CableLimit.channels) channels, a layout of 0 or with a bit for each channel."
      )
    }
    return format
  }

  static func header(_ header: CableHeader) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: CableHeader.size) { buffer, count in
      header.write(to: UnsafeMutableRawBufferPointer(buffer))
      count = CableHeader.size
    }
  }

  private static func bytes(
    _ kind: Kind, flags: UInt8 = 0, epoch: UInt32 = 0, payload: [UInt8]
  ) -> [UInt8] {
    header(CableHeader(kind, flags: flags, length: payload.count, epoch: epoch)) + payload
  }

  private static func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { Array($0) }
  }
}
