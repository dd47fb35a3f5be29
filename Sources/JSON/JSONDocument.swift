/// A JSON text that remembers where each of its values stands, so that an error can name the place.
public struct JSONDocument: Sendable {
  /// The value of the whole text.
  public let value: JSON
  /// Keys that stand in an object that already has them, when the reader asked to keep them.
  public let repeatedKeys: [RepeatedKey]
  private let places: [JSONPath: Place]
  private let lines: LineIndex

  /// A key that its object already has. The first of its values is the one that counts.
  public struct RepeatedKey: Sendable, Hashable {
    public let path: JSONPath
    public let position: TextPosition
  }

  /// Offsets, not positions: most are never asked for.
  private struct Place: Sendable {
    let value: Int
    let key: Int?
  }

  /// Reads a text, as `JSON.init(parsing:)` does.
  ///
  /// - Parameter keepingRepeatedKeys: Whether a repeated key is listed in `repeatedKeys` instead
  ///   of being refused, so that a reader can report it beside everything else that is wrong.
  public init(parsing bytes: some Sequence<UInt8>, keepingRepeatedKeys: Bool = false)
    throws(JSONSyntaxError)
  {
    let bytes = Array(bytes)
    var places: [JSONPath: Place] = [:]
    var repeated: [(path: JSONPath, at: Int)] = []
    var path = JSONPath()
    value = try JSON.parse(bytes) { (parser: inout JSONParser) throws(JSONSyntaxError) in
      parser.visit = { element, visit in
        switch visit {
        case .enter(let valueAt, let keyAt):
          if let element { path.elements.append(element) }
          if places[path] == nil { places[path] = Place(value: valueAt, key: keyAt) }
        case .leave:
          if element != nil { path.elements.removeLast() }
        }
      }
      if keepingRepeatedKeys { parser.repeated = { repeated.append((path.appending($0), $1)) } }
      return try parser.document()
    }
    let lines = LineIndex(bytes)
    self.places = places
    self.lines = lines
    repeatedKeys = repeated.map { RepeatedKey(path: $0.path, position: lines.position(of: $0.at)) }
  }

  /// Where the value at `path` begins; the nearest value around it when there is none.
  public func position(of path: JSONPath) -> TextPosition {
    lines.position(of: nearest(path).place?.value ?? 0)
  }

  /// Where the key that leads to `path` stands; its value's place when it has no key.
  public func keyPosition(of path: JSONPath) -> TextPosition {
    let (place, isExact) = nearest(path)
    guard let place else { return lines.position(of: 0) }
    return lines.position(of: isExact ? place.key ?? place.value : place.value)
  }

  private func nearest(_ path: JSONPath) -> (place: Place?, isExact: Bool) {
    var path = path
    var isExact = true
    while true {
      if let place = places[path] { return (place, isExact) }
      guard !path.elements.isEmpty else { return (nil, false) }
      path.elements.removeLast()
      isExact = false
    }
  }
}

/// The offsets at which lines begin, for quick look-up.
private struct LineIndex: Sendable {
  private let bytes: [UInt8]
  private let starts: [Int]
  /// How many code points lie before each `stride`th byte: a whole file may be one line.
  private let codePoints: [Int]
  private static let stride = 1024

  init(_ bytes: [UInt8]) {
    var starts = [0]
    var codePoints: [Int] = []
    var count = 0
    for (offset, byte) in bytes.enumerated() {
      if offset % Self.stride == 0 { codePoints.append(count) }
      if byte & 0xC0 != 0x80 { count += 1 }
      if byte == 0x0A { starts.append(offset + 1) }
    }
    self.bytes = bytes
    self.starts = starts
    self.codePoints = codePoints
  }

  func position(of offset: Int) -> TextPosition {
    var (line, after) = (0, starts.count)
    while after - line > 1 {
      let middle = (line + after) / 2
      if starts[middle] <= offset { line = middle } else { after = middle }
    }
    return TextPosition(
      line: line + 1, column: codePoints(before: offset) - codePoints(before: starts[line]) + 1)
  }

  private func codePoints(before offset: Int) -> Int {
    let end = min(offset, bytes.count)
    guard !codePoints.isEmpty else { return 0 }
    let block = min(end / Self.stride, codePoints.count - 1)
    return codePoints[block] + bytes[(block * Self.stride)..<end].count { $0 & 0xC0 != 0x80 }
  }
}
