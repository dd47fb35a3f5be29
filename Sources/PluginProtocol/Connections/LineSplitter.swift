/// Cuts a stream of bytes into lines, never holding more than one line's limit.
struct LineSplitter {
  private let longest: Int
  /// The beginning of an unfinished line.
  private(set) var partial: [UInt8] = []
  /// The oversized line that is being skipped; `nil` if none is.
  private var skipped: SkippedLine?

  private struct SkippedLine {
    var count = 0
    var scanner = MessageIDScanner()

    mutating func append(_ bytes: some Collection<UInt8>) {
      count += bytes.count
      scanner.append(bytes)
    }

    var event: ConnectionEvent { .oversizedLine(count, scanner.finding) }
  }

  init(longest: Int = ProtocolLimits.longestLine) { self.longest = longest }

  /// Appends received bytes and emits each complete line. Empty lines are skipped.
  mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ emit: (ConnectionEvent) -> Void) {
    var rest = bytes[...]
    while let newline = rest.firstIndex(of: 0x0A) {
      finish(rest[..<newline], emit)
      rest = rest[(newline + 1)...]
    }
    appendPartialLine(rest)
  }

  private mutating func finish(
    _ end: Slice<UnsafeBufferPointer<UInt8>>, _ emit: (ConnectionEvent) -> Void
  ) {
    defer {
      partial.removeAll(keepingCapacity: partial.capacity <= 1 << 16)
      skipped = nil
    }
    if var skipped {
      skipped.append(end)
      return emit(skipped.event)
    }
    let length = partial.count + end.count
    if length > longest {
      var skipped = SkippedLine()
      skipped.append(partial)
      skipped.append(end)
      return emit(skipped.event)
    }
    if length == 0 { return }
    if partial.isEmpty { return emit(.line(UnsafeBufferPointer(rebasing: end))) }
    partial.append(contentsOf: end)
    partial.withUnsafeBufferPointer { emit(.line($0)) }
  }

  private mutating func appendPartialLine(_ rest: Slice<UnsafeBufferPointer<UInt8>>) {
    if skipped != nil {
      skipped?.append(rest)
    } else if partial.count + rest.count > longest {
      var skipped = SkippedLine()
      skipped.append(partial)
      skipped.append(rest)
      self.skipped = skipped
      partial = []
    } else {
      partial.append(contentsOf: rest)
    }
  }
}
