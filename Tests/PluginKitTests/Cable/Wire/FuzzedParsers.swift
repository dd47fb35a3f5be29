// Also compiled by Scripts/fuzz, in one module with the codec.

#if canImport(PluginKit)
  import TestSupport

  @testable import PluginKit
#endif

/// Decodes the bytes of a cable's other end that a fuzzer made, and traps if a result is out of its bounds.
///
/// The first two bytes choose the longest payload and the size of the received pieces.
func parse(fuzzed bytes: [UInt8]) {
  var input = FuzzedInput(bytes)
  let largest = input.choose([CableLimit.reply, CableLimit.payload])
  let size = input.choose([1 << 16, 1, 3, 12, 64])
  let received = Array(input.rest)
  let whole = messages(in: received, size: received.count, largest: largest)
  let pieces = messages(in: received, size: size, largest: largest)
  precondition(whole.messages == pieces.messages, "the pieces have other messages")
  precondition(whole.error == pieces.error, "the pieces have another error")
  for message in whole.messages { check(message, largest: largest) }
}

/// Returns the messages in bytes that arrive in pieces, until the first error.
private func messages(
  in bytes: [UInt8], size: Int, largest: Int
) -> (messages: [CableMessage], error: CableError?) {
  var inbox = CableInbox(largest: largest)
  var rest = bytes[...]
  var found: [CableMessage] = []
  do throws(CableError) {
    while !rest.isEmpty {
      let piece = rest.prefix(max(1, size))
      let count = piece.withUnsafeBytes { inbox.append($0) }
      rest = rest.dropFirst(count)
      var isWhole = true
      while isWhole {
        isWhole = try inbox.next { (message, payload) throws(CableError) in
          precondition(payload.count <= largest)
          if case .data(_, let count, _) = message { precondition(payload.count == count) }
          found.append(message)
        }
      }
      precondition(count > 0, "an inbox without a whole message has no room")
    }
    return (found, nil)
  } catch {
    return (found, error)
  }
}

private func check(_ message: CableMessage, largest: Int) {
  switch message {
  case .data(_, let bytes, _): precondition((0...largest).contains(bytes))
  // Bytes that are no UTF-8 become characters of three bytes.
  case .close(let reason): precondition(reason.utf8.count <= 3 * CableLimit.reply)
  case .hello(_, let token): precondition(token.utf8.count <= 3 * CableLimit.token)
  case .format(_, let format):
    precondition(CableLimit.rates.contains(format.rate))
    precondition((2...32).contains(format.frameBytes))
    checkCopy(of: message)
  case .flush, .end, .credit, .heard, .flushed, .drained: checkCopy(of: message)
  }
}

private func checkCopy(of message: CableMessage) {
  let bytes = message.encoded
  let copy = messages(in: bytes, size: bytes.count, largest: CableLimit.reply)
  precondition(copy.messages == [message] && copy.error == nil)
}
