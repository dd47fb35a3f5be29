/// One message of the cable protocol without the sound itself; docs/cable-protocol.md describes it.
package enum CableMessage: Equatable, Sendable {
  /// Source: the token, and the version it speaks.
  case hello(version: UInt32, token: String)
  /// Source: the format of the frames that follow; begins an epoch.
  case format(epoch: UInt32, CableFormat)
  /// Source: `bytes` of whole frames follow the header; `startsRecording` says that the first of
  /// them is the first of a recording.
  case data(epoch: UInt32, bytes: Int, startsRecording: Bool = false)
  /// Source: drop all unheard frames; begins an epoch.
  case flush(epoch: UInt32)
  /// Source: no more frames in this epoch.
  case end(epoch: UInt32)
  /// Sink: frames `0..<limit` of the epoch may be sent; `heard` says whether they are played.
  case credit(epoch: UInt32, limit: UInt64, heard: Bool)
  /// Sink: `frames` of the epoch went to the device, which at monotonic `time` (ns) still held
  /// `delay` of them.
  case heard(epoch: UInt32, frames: UInt64, delay: UInt32, time: UInt64)
  /// Sink: the flush that began `epoch` is done; the last frames heard were `frames` of `of`.
  case flushed(epoch: UInt32, frames: UInt64, of: UInt32)
  /// Sink: the last frame of the ended epoch was heard.
  case drained(epoch: UInt32)
  /// Either: the sender closes; the reason is for people.
  case close(reason: String)

  /// The version of the protocol.
  package static let version: UInt32 = 1

  enum Kind: UInt8 {
    case hello = 1
    case format = 2
    case data = 3
    case flush = 4
    case end = 5
    case credit = 17
    case heard = 18
    case flushed = 19
    case drained = 20
    case close = 31
  }
}

/// The fixed 12 bytes before every payload: kind, flags, two zero bytes, payload length, epoch.
package struct CableHeader: Equatable, Sendable {
  /// Bytes of a header.
  package static let size = 12
  /// Bit 0 of the flags of `credit`: the frames are played.
  package static let heardFlag: UInt8 = 1
  /// Bit 0 of the flags of `data`: the first frame is the first of a recording.
  package static let startFlag: UInt8 = 1

  var kind: CableMessage.Kind
  var flags: UInt8 = 0
  var length: UInt32
  var epoch: UInt32

  /// Writes the header at the start of `bytes`, which must hold 12.
  func write(to bytes: UnsafeMutableRawBufferPointer) {
    bytes[0] = kind.rawValue
    bytes[1] = flags
    bytes[2] = 0
    bytes[3] = 0
    bytes.storeBytes(of: length.littleEndian, toByteOffset: 4, as: UInt32.self)
    bytes.storeBytes(of: epoch.littleEndian, toByteOffset: 8, as: UInt32.self)
  }

  /// Reads and checks a header from the first 12 of `bytes`. `largest` is the longest payload that
  /// the reader accepts.
  init(_ bytes: UnsafeRawBufferPointer, largest: Int) throws(CableError) {
    guard bytes.count >= Self.size else {
      throw CableError(.violation, "A message header has 12 bytes; only \(bytes.count) came.")
    }
    guard let kind = CableMessage.Kind(rawValue: bytes[0]) else {
      throw CableError(.violation, "The message kind \(bytes[0]) is not known.")
    }
    guard bytes[2] == 0, bytes[3] == 0 else {
      throw CableError(.violation, "Bytes 2 and 3 of a message header must be 0.")
    }
    let length = UInt32(
      littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self))
    guard length <= UInt32(largest) else {
      throw CableError(
        .violation, "A payload of \(length) bytes is longer than the \(largest) allowed.")
    }
    self.kind = kind
    flags = bytes[1]
    self.length = length
    epoch = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
  }

  init(_ kind: CableMessage.Kind, flags: UInt8 = 0, length: Int = 0, epoch: UInt32 = 0) {
    self.kind = kind
    self.flags = flags
    self.length = UInt32(clamping: length)
    self.epoch = epoch
  }
}
