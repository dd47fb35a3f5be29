// Also compiled by Scripts/fuzz, in one module with the parsers.
import Devices
import JSON

#if canImport(PluginProtocol)
  import TestSupport

  @testable import PluginProtocol
#endif

/// Parses the lines of a plugin that a fuzzer made, each as every message that it can be, and traps if a result is out
/// of its bounds.
///
/// The first two bytes choose the longest line and the size of the received pieces.
func parse(fuzzed bytes: [UInt8]) {
  var input = FuzzedInput(bytes)
  let longest = input.choose([ProtocolLimits.longestLine, 16, 100])
  let size = input.choose([1 << 16, 1, 2, 7, 100])
  let received = Array(input.rest)
  let found = lines(in: received, size: max(1, received.count), longest: longest)
  precondition(found == lines(in: received, size: size, longest: longest), "other lines in pieces")
  for case .text(let line) in found { check(line) }
  if let json = try? JSON(parsing: received), let manifest = try? Manifest(json) {
    check(manifest)
  }
}

private enum Line: Equatable {
  case text([UInt8])
  case oversized(Int)
}

private func lines(in bytes: [UInt8], size: Int, longest: Int) -> [Line] {
  var splitter = LineSplitter(longest: longest)
  var found: [Line] = []
  for start in stride(from: 0, to: bytes.count, by: size) {
    bytes[start..<min(start + size, bytes.count)].withUnsafeBufferPointer { piece in
      splitter.append(piece) { event in
        switch event {
        case .line(let line):
          precondition((1...longest).contains(line.count))
          found.append(.text(Array(line)))
        case .oversizedLine(let count):
          precondition(count > longest)
          found.append(.oversized(count))
        case .closed: preconditionFailure("an end inside a line")
        }
      }
    }
    precondition(splitter.partial.count <= longest)
  }
  return found
}

private func check(_ line: [UInt8]) {
  guard let message = try? RPCMessage(line: line) else { return }
  precondition((try? RPCMessage(line: message.line().dropLast())) == message)
  switch message {
  case .request(_, _, let params), .notification(_, let params):
    checkNotifications(params)
    checkRequests(params)
  case .success(_, let result): checkAnswers(result)
  case .failure(_, let error): check(error)
  }
}

private func check(_ error: RPCError) {
  let bounded = error.bounded
  precondition(bounded.message.utf8.count <= ProtocolLimits.message)
  let refusal = bounded.deviceError(device: "d")
  precondition((refusal.hint ?? "").utf8.count <= ProtocolLimits.message)
  precondition((.zero ... .seconds(3600)).contains(refusal.retryAfter ?? .zero))
  // A copy over the wire says the same.
  precondition(RPCError(refusal).deviceError(device: "d").code == refusal.code)
}

private func checkNotifications(_ params: JSON) {
  func copy<Message: PluginNotification>(_ kind: Message.Type) -> Message? {
    guard let message = Message(params: params) else { return nil }
    precondition(Message(params: message.params)?.params == message.params, "\(kind)")
    return message
  }
  _ = copy(CancelNotification.self)
  _ = copy(MeterNotification.self)
  _ = copy(PlugAgainNotification.self)
  if let log = copy(LogNotification.self) {
    precondition(log.message.utf8.count <= ProtocolLimits.logMessage)
    precondition(!log.message.utf8.contains(0x0A))
  }
  if let levels = LevelsNotification(params: params)?.levels {
    precondition(SoundLevels(.object(levels.json)) == levels)
  }
  guard let report = copy(StateNotification.self) else { return }
  for (name, attribute) in report.attributes { check(attribute, name) }
  if let playback = report.values[.playback].flatMap({ Playback($0) })?.bounded {
    precondition((playback.item ?? "").utf8.count <= ProtocolLimits.item)
    precondition((playback.reason ?? "").utf8.count <= ProtocolLimits.title)
    precondition(Playback.secondsRange.contains(playback.duration ?? 0))
  }
}

private func check(_ attribute: Attribute, _ name: String) {
  guard let bounded = attribute.bounded else { return }
  if let text = bounded.value.string {
    precondition(text.utf8.count <= ProtocolLimits.attributeValue)
  }
  precondition((bounded.unit ?? "").utf8.count <= ProtocolLimits.attributeUnit)
  precondition((bounded.label ?? "").utf8.count <= ProtocolLimits.attributeLabel)
  precondition(bounded.byteCount(name: name) >= name.utf8.count)
}

private func checkRequests(_ params: JSON) {
  func copy<Message: PluginRequest>(_ kind: Message.Type) {
    guard let message = Message(params: params) else { return }
    precondition(Message(params: message.params)?.params == message.params, "\(kind)")
  }
  copy(InitializeRequest.self)
  copy(OpenRequest.self)
  copy(CloseRequest.self)
  copy(PerformRequest.self)
  copy(ScanRequest.self)
  copy(OpenSocketRequest.self)
  copy(PlugRequest.self)
  copy(LendRequest.self)
  copy(UnplugRequest.self)
  copy(PictureRequest.self)
}

private func checkAnswers(_ result: JSON) {
  _ = InitializeRequest.answer(result)
  _ = OpenRequest.answer(result)
  if let report = PerformRequest.answer(result)?.report { checkNotifications(report.params) }
  if let pcm = LendRequest.answer(result) { precondition(pcm.utf8.count <= ProtocolLimits.pcm) }
  for item in ScanRequest.answer(result)?.items.compactMap(\.bounded) ?? [] {
    precondition(item.id.utf8.count <= ProtocolLimits.item)
    precondition(item.title.utf8.count <= ProtocolLimits.title)
  }
  if let answer = PictureRequest.answer(result) {
    precondition(answer.picture == nil || answer.fault == nil)
    if let picture = answer.picture {
      precondition(picture.bytes.count <= ProtocolLimits.picture)
      precondition(PictureRequest.answer(PictureRequest.result(answer)) == answer)
    }
  }
}

private func check(_ manifest: Manifest) {
  precondition(!manifest.roles.isEmpty && !manifest.command.isEmpty)
  precondition(manifest.title.utf8.count <= ProtocolLimits.manifestTitle)
  precondition(manifest.version.utf8.count <= ProtocolLimits.manifestVersion)
  precondition(manifest.command.count <= ProtocolLimits.manifestWords)
}
