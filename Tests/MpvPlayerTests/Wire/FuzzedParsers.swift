// Scripts/fuzz also compiles this file, in one module with the parser.
import JSON

#if canImport(MpvPlayer)
  @testable import MpvPlayer
#endif

/// Parses lines that a fuzzer made as messages of mpv, and queues their events. Traps if a result is out of its bounds.
func parse(fuzzed bytes: [UInt8]) {
  var queue = MpvEventQueue()
  var waiting = 0
  for line in bytes.split(separator: 0x0A) {
    switch MpvMessage(line: line) {
    case .reply(let id, .success(let data)):
      precondition((try? JSON(parsing: Array(data.text().utf8))) == data)
      let request = try? JSON(parsing: MpvMessage.request(id, [.string(data.text())]).dropLast())
      precondition(request?["command"] == [.string(data.text())])
    case .reply(_, .failure(let refusal)): check(refusal.text)
    case .event(let event):
      check(event)
      if queue.append(event) { waiting += 1 }
    case nil: break
    }
  }
  checkOrder(&queue, most: waiting)
}

/// Checks that a queue returns at most `most` events, with only one value of each property.
private func checkOrder(_ queue: inout MpvEventQueue, most: Int) {
  var properties: Set<[UInt8]> = []
  var count = 0
  while let event = queue.removeFirst() {
    count += 1
    if case .propertyChange(let name, _) = event {
      precondition(properties.insert(Array(name.utf8)).inserted, "two values of \(name)")
    }
  }
  precondition(count <= min(most, MpvEventQueue.mostEvents))
}

private func check(_ event: MpvEvent) {
  switch event {
  case .endFile(_, _, let error): check(error)
  case .log(let text): check(text)
  case .startFile, .fileLoaded, .playbackRestart, .propertyChange, .other: break
  }
}

private func check(_ text: String) {
  precondition(text.utf8.count <= 200 && !text.utf8.contains(0x0A))
}
