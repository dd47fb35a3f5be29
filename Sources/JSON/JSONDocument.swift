/// A JSON text that remembers where each of its values stands, so that an error can name the place.
public struct JSONDocument: Sendable {
  /// The value of the whole text.
  public let value: JSON
  /// The first `mostRepeatedKeys` keys that their object already has; empty unless the text was
  /// read with `keepingRepeatedKeys`.
  public let repeatedKeys: [RepeatedKey]
  /// The most repeated keys that are listed.
  public static let mostRepeatedKeys = 100
  private let nodes: [Node]
  private let lines: LineIndex

  /// A key that its object already has. The first of its values is the one that counts.
  public struct RepeatedKey: Sendable, Hashable {
    /// The path to the repeated key.
    public let path: JSONPath
    /// The place of its second or later occurrence.
    public let position: TextPosition
  }

  /// A value's place. Offsets, not positions: most are never requested.
  private struct Node: Sendable {
    /// The step that leads to it; `nil` for the value of the whole text.
    let element: JSONPath.Element?
    let value: Int
    let key: Int?
    /// The offset after its last byte.
    var valueEnd: Int
    /// The index after the last node within this one: of its next sibling, if it has one.
    var end: Int
  }

  /// Reads a text, as `JSON.init(parsing:)` does.
  ///
  /// - Parameter keepingRepeatedKeys: Whether a repeated key is listed in `repeatedKeys` instead
  ///   of being refused, so that a reader can report it beside everything else that is wrong.
  public init(parsing bytes: some Sequence<UInt8>, keepingRepeatedKeys: Bool = false)
    throws(JSONSyntaxError)
  {
    let bytes = Array(bytes)
    var nodes: [Node] = []
    var open: [Int] = []
    var repeated: [(path: JSONPath, at: Int)] = []
    value = try JSON.parse(bytes) { (parser: inout JSONParser) throws(JSONSyntaxError) in
      parser.visit = { element, visit in
        switch visit {
        case .enter(let value, let key):
          open.append(nodes.count)
          nodes.append(
            Node(element: element, value: value, key: key, valueEnd: value, end: nodes.count + 1))
        case .leave(let offset):
          guard let index = open.popLast() else { return }
          nodes[index].valueEnd = offset
          nodes[index].end = nodes.count
        }
      }
      if keepingRepeatedKeys {
        parser.repeated = { key, offset in
          guard repeated.count < Self.mostRepeatedKeys else { return }
          let path = JSONPath(open.compactMap { nodes[$0].element })
          repeated.append((path.appending(key), offset))
        }
      }
      return try parser.document()
    }
    let lines = LineIndex(bytes)
    self.nodes = nodes
    self.lines = lines
    repeatedKeys = repeated.map { RepeatedKey(path: $0.path, position: lines.position(of: $0.at)) }
  }

  /// Returns where the value at `path` begins; if there is no such value, where the nearest
  /// enclosing one begins.
  public func position(of path: JSONPath) -> TextPosition {
    lines.position(of: nearest(path).node?.value ?? 0)
  }

  /// Returns where the key of the value at `path` begins; for a value without a key, where the
  /// value begins.
  public func keyPosition(of path: JSONPath) -> TextPosition {
    let (node, isExact) = nearest(path)
    guard let node else { return lines.position(of: 0) }
    return lines.position(of: isExact ? node.key ?? node.value : node.value)
  }

  /// Returns the text with another value at `path`. All other bytes stay as they are.
  ///
  /// A value on one line is replaced by one on one line; a value on several lines by one on several
  /// lines, indented like the line on which it begins.
  ///
  /// - Returns: `nil` if there is no value at `path`.
  public func replacing(_ path: JSONPath, with value: JSON) -> [UInt8]? {
    let (node, isExact) = nearest(path)
    guard let node, isExact else { return nil }
    let bytes = lines.bytes
    let isOnOneLine = !bytes[node.value..<node.valueEnd].contains(0x0A)
    let text =
      isOnOneLine
      ? value.lineText() : value.prettyText(indent: lines.indent(ofLineAt: node.value))
    return Array(bytes[..<node.value]) + Array(text.utf8) + Array(bytes[node.valueEnd...])
  }

  /// Another text for a key, or for a value that is a text.
  public struct Renaming: Sendable, Hashable {
    public var path: JSONPath
    /// Whether the key of the value at `path` changes, and not the value.
    public var isKey: Bool
    public var text: String

    public init(path: JSONPath, isKey: Bool, text: String) {
      self.path = path
      self.isKey = isKey
      self.text = text
    }
  }

  /// Returns the text with other keys and texts at these places. All other bytes stay as they are.
  ///
  /// - Parameter renamings: Those of a missing key, or of a value that is no text, have no effect.
  public func renaming(_ renamings: [Renaming]) -> [UInt8] {
    var tree = RenamingTree()
    for renaming in renamings { tree.add(renaming, at: renaming.path.elements[...]) }
    var places: [(start: Int, text: String)] = []
    if !nodes.isEmpty { collect(tree, at: 0, into: &places) }
    let bytes = lines.bytes
    var renamed: [UInt8] = []
    renamed.reserveCapacity(bytes.count)
    var end = 0
    for place in places.sorted(by: { $0.start < $1.start }) {
      guard place.start >= end, let next = endOfString(at: place.start) else { continue }
      renamed += bytes[end..<place.start]
      renamed += JSON.string(place.text).lineText().utf8
      end = next
    }
    return renamed + bytes[end...]
  }

  /// Adds the offsets of the strings that change in and below a node. Each node is visited once.
  private func collect(
    _ tree: RenamingTree, at index: Int, into places: inout [(start: Int, text: String)]
  ) {
    let node = nodes[index]
    if let text = tree.key, let key = node.key { places.append((key, text)) }
    if let text = tree.value { places.append((node.value, text)) }
    guard !tree.children.isEmpty else { return }
    var child = index + 1
    while child < node.end {
      if let below = nodes[child].element.flatMap({ tree.children[$0] }) {
        collect(below, at: child, into: &places)
      }
      child = nodes[child].end
    }
  }

  /// The offset after the string that begins at `start`; `nil` if none begins there.
  private func endOfString(at start: Int) -> Int? {
    let bytes = lines.bytes
    guard bytes.indices.contains(start), bytes[start] == UInt8(ascii: "\"") else { return nil }
    var index = start + 1
    while bytes.indices.contains(index) {
      switch bytes[index] {
      case UInt8(ascii: "\""): return index + 1
      case UInt8(ascii: "\\"): index += 2
      default: index += 1
      }
    }
    return nil
  }

  /// The node at `path`, or the deepest on the way to it. Walks over siblings instead of a hash table:
  /// few positions are requested, but the table would hold every node of every text.
  private func nearest(_ path: JSONPath) -> (node: Node?, isExact: Bool) {
    guard var node = nodes.first else { return (nil, false) }
    var index = 0
    for element in path.elements {
      var child = index + 1
      while child < node.end, nodes[child].element != element { child = nodes[child].end }
      guard child < node.end else { return (node, false) }
      index = child
      node = nodes[child]
    }
    return (node, true)
  }
}

/// Renamings by the steps of their paths.
private struct RenamingTree {
  var key: String?
  var value: String?
  var children: [JSONPath.Element: RenamingTree] = [:]

  mutating func add(_ renaming: JSONDocument.Renaming, at path: ArraySlice<JSONPath.Element>) {
    if let first = path.first {
      children[first, default: RenamingTree()].add(renaming, at: path.dropFirst())
    } else if renaming.isKey {
      key = renaming.text
    } else {
      value = renaming.text
    }
  }
}

/// The offsets at which lines begin, for quick look-up.
private struct LineIndex: Sendable {
  let bytes: [UInt8]
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
    let line = line(of: offset)
    return TextPosition(
      line: line + 1, column: codePoints(before: offset) - codePoints(before: starts[line]) + 1)
  }

  /// The spaces and tabs at the beginning of the line of `offset`.
  func indent(ofLineAt offset: Int) -> String {
    let line = bytes[starts[line(of: offset)]...]
    return String(decoding: line.prefix { $0 == 0x20 || $0 == 0x09 }, as: UTF8.self)
  }

  /// The line of `offset`, counted from 0.
  private func line(of offset: Int) -> Int {
    var (line, after) = (0, starts.count)
    while after - line > 1 {
      let middle = (line + after) / 2
      if starts[middle] <= offset { line = middle } else { after = middle }
    }
    return line
  }

  private func codePoints(before offset: Int) -> Int {
    let end = min(offset, bytes.count)
    guard !codePoints.isEmpty else { return 0 }
    let block = min(end / Self.stride, codePoints.count - 1)
    return codePoints[block] + bytes[(block * Self.stride)..<end].count { $0 & 0xC0 != 0x80 }
  }
}
