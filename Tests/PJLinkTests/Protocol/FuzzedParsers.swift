// Scripts/fuzz also compiles this file, in one module with the parsers.
import Devices
import JSON

#if canImport(PJLink)
  import TestSupport

  @testable import PJLink
#endif

private let requests =
  PJLinkQuery.allCases.map { PJLinkRequest.query($0) } + [.turnOn, .turnOff]
  + ["11", "6Z"].compactMap { PJLinkInput($0) }.map { .select($0) }

/// Parses bytes from a fuzzer as those of a projector. Traps if a result is out of its bounds.
///
/// The first five bytes choose the authentication, the first request and the size of the received pieces.
func parse(fuzzed bytes: [UInt8]) {
  var input = FuzzedInput(bytes)
  let authentication = Authentication(
    password: input.choose([nil, "", "JBMIAProjectorLink"]),
    policy: input.choose(Authentication.Policy.allCases),
    isWithoutSHA256: input.choose([false, true]))
  let first = Int(input.choose(Array(requests.indices)))
  let size = input.choose([512, 1, 2, 7, 136])
  let received = Array(input.rest)
  let pieces = stride(from: 0, to: received.count, by: size).map { start in
    Array(received[start..<min(start + size, received.count)])
  }
  checkLines(received, pieces)
  checkConversation(authentication, pieces, first)
}

private func checkLines(_ received: [UInt8], _ pieces: [[UInt8]]) {
  var reader = LineReader()
  let lines = reader.append(received)
  var other = LineReader()
  precondition(pieces.flatMap { other.append($0) } == lines, "the pieces have other lines")
  let ends = received.count { $0 == UInt8(ascii: "\r") }
  // A line feed ends a line, too, unless the line is empty.
  let feeds = received.count { $0 == UInt8(ascii: "\n") }
  precondition((ends...ends + feeds).contains(lines.count))
  for case .text(let text) in lines {
    // An invalid byte becomes U+FFFD, which has three bytes.
    precondition(text.utf8.count <= 3 * (LineReader.longestLine - 1))
    precondition(!text.utf8.contains { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") })
    checkValues(text)
    switch PJLinkLine(text) {
    case .salt(let salt): precondition((1...64).contains(salt.utf8.count))
    case .challenge(let bytes): precondition(bytes.count == Authentication.nonceSize)
    case .reply(let command, let answer):
      precondition(command.utf8.count == 4)
      if case .value(let value) = answer { checkValues(value) }
    case .noPassword, .denied, nil: break
    }
  }
}

private func checkValues(_ text: String) {
  _ = PJLinkValues.power(text)
  precondition((PJLinkValues.mute(text) ?? "none").utf8.count <= 15)
  let lamps = PJLinkValues.lampHours(text)
  precondition(lamps.count <= 8)
  precondition(lamps.compactMap(\.self).allSatisfy { (0...99_999).contains($0) })
  if let hours = PJLinkValues.hours(text) { precondition((0...99_999).contains(hours)) }
  if let inputs = PJLinkValues.inputs(text) {
    precondition(!inputs.isEmpty && inputs.allSatisfy { $0.code.utf8.count == 2 })
  }
  if let status = ErrorStatus(text) {
    precondition((1...100).contains(status.description.utf8.count))
    precondition((1...100).contains((status.errors ?? "none").utf8.count))
  }
  if let bytes = Hexadecimal.bytes(text) {
    precondition(Hexadecimal.text(bytes) == text.lowercased())
  }
}

private func checkConversation(
  _ authentication: Authentication, _ pieces: [[UInt8]], _ first: Int
) {
  var conversation = Conversation(authentication) {
    [UInt8](repeating: 0xA5, count: Authentication.nonceSize)
  }
  var isReady = false
  var isAsking = false
  var hasFailed = false
  var ignored = 0
  var next = first
  for piece in pieces {
    for action in conversation.receive(piece) {
      precondition(!hasFailed, "an action after the failure")
      switch action {
      case .send(let bytes):
        precondition(!isReady && authentication.triesSHA256 && bytes == Array("PJLINK 2\r".utf8))
      case .ready(let method):
        precondition(!isReady)
        precondition(method == .none || authentication.password != nil)
        precondition(method != .md5 || authentication.policy != .sha256)
        isReady = true
      case .answer:
        precondition(isAsking, "an answer without a request")
        isAsking = false
        ignored = 0
      case .fail(let failure):
        check(failure)
        hasFailed = true
      case .ignored:
        ignored += 1
        precondition(ignored <= Conversation.mostIgnored)
      }
    }
    let bytes = conversation.ask(requests[next])
    precondition((bytes != nil) == (isReady && !isAsking && !hasFailed))
    if let bytes {
      // The longest proof is 16 + 32 bytes in hexadecimal: 96 digits.
      precondition(bytes.count <= 96 + LineReader.longestLine)
      precondition(bytes.firstIndex(of: UInt8(ascii: "\r")) == bytes.count - 1)
      isAsking = true
      next = (next + 1) % requests.count
    }
  }
  check(conversation.endAfterTimeout())
  check(conversation.endAfterDisconnect())
  precondition(conversation.ask(.turnOn) == nil)
}

private func check(_ failure: LinkFailure) {
  if case .notPJLink(let text) = failure { precondition(text.count <= 40) }
}
