/// Cuts a stream of bytes into lines, never holding more than one line's limit.
struct LineSplitter {
  private let longest: Int
  /// The beginning of an unfinished line.
  private(set) var partial: [UInt8] = []
  /// The number of bytes of the oversized line that is being skipped; `nil` if none is.
  private var skipped: Int?

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
    if let skipped { return emit(.oversizedLine(skipped + end.count)) }
    let length = partial.count + end.count
    if length > longest { return emit(.oversizedLine(length)) }
    if length == 0 { return }
    if partial.isEmpty { return emit(.line(UnsafeBufferPointer(rebasing: end))) }
    partial.append(contentsOf: end)
    partial.withUnsafeBufferPointer { emit(.line($0)) }
  }

  private mutating func appendPartialLine(_ rest: Slice<UnsafeBufferPointer<UInt8>>) {
    if let already = skipped {
      skipped = already + rest.count
    } else if partial.count + rest.count > longest {
      skipped = partial.count + rest.count
      partial = []
    } else {
      partial.append(contentsOf: rest)
    }
  }
}
