/// A JSON text that remembers where each of its values stands, so that an error can name the place.
public struct JSONDocument: Sendable {
  /// The value of the whole text.
  public let value: JSON
  private let places: [JSONPath: Place]

  private struct Place: Sendable {
    let value: TextPosition
    let key: TextPosition?
  }

  /// Reads a text, as `JSON.init(parsing:)` does.
  public init(parsing bytes: some Sequence<UInt8>) throws(JSONSyntaxError) {
    let bytes = Array(bytes)
    var offsets: [(path: JSONPath, value: Int, key: Int?)] = []
    var path = JSONPath()
    value = try JSON.parse(bytes) { (parser: inout JSONParser) throws(JSONSyntaxError) in
      parser.visit = { element, visit in
        switch visit {
        case .enter(let valueAt, let keyAt):
          if let element { path.elements.append(element) }
          offsets.append((path, valueAt, keyAt))
        case .leave:
          if element != nil { path.elements.removeLast() }
        }
      }
      return try parser.document()
    }
    let lines = LineIndex(bytes)
    places = Dictionary(
      offsets.map { entry in
        let key = entry.key.map(lines.position(of:))
        return (entry.path, Place(value: lines.position(of: entry.value), key: key))
      },
      uniquingKeysWith: { first, _ in first })
  }

  /// Where the value at `path` begins; the nearest value around it when there is none.
  public func position(of path: JSONPath) -> TextPosition {
    nearest(path).place?.value ?? TextPosition(line: 1, column: 1)
  }

  /// Where the key that leads to `path` stands; its value's place when it has no key.
  public func keyPosition(of path: JSONPath) -> TextPosition {
    let (place, isExact) = nearest(path)
    guard let place else { return TextPosition(line: 1, column: 1) }
    return isExact ? place.key ?? place.value : place.value
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
private struct LineIndex {
  private let bytes: [UInt8]
  private let starts: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    starts = [0] + bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
  }

  func position(of offset: Int) -> TextPosition {
    let line = (starts.firstIndex { $0 > offset } ?? starts.count) - 1
    let column = bytes[starts[line]..<min(offset, bytes.count)].count { $0 & 0xC0 != 0x80 }
    return TextPosition(line: line + 1, column: column + 1)
  }
}
