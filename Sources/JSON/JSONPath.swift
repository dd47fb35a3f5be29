/// The path from the root of a JSON text to a value in it: `$.devices.amp.options[2]`.
public struct JSONPath: Sendable, Hashable, CustomStringConvertible, ExpressibleByArrayLiteral {
  /// One step of the path.
  public enum Element: Sendable, Hashable {
    /// The member of an object.
    case key(String)
    /// The element of an array, counted from 0.
    case index(Int)

    /// Keys are compared by their bytes.
    public static func == (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.key(let one), .key(let two)): one.hasSameBytes(as: two)
      case (.index(let one), .index(let two)): one == two
      case (.key, .index), (.index, .key): false
      }
    }

    public func hash(into hasher: inout Hasher) {
      switch self {
      case .key(let key): hasher.combine(UTF8Key(key))
      case .index(let index): hasher.combine(index)
      }
    }
  }

  /// The steps, from the root.
  public var elements: [Element]

  /// The path of these steps; the empty path is the root.
  public init(_ elements: [Element] = []) { self.elements = elements }
  public init(arrayLiteral elements: Element...) { self.elements = elements }

  /// This path, one member deeper.
  public func appending(_ key: String) -> JSONPath { JSONPath(elements + [.key(key)]) }
  /// This path, one element deeper.
  public func appending(_ index: Int) -> JSONPath { JSONPath(elements + [.index(index)]) }

  public var description: String {
    elements.reduce("$") { text, element in
      switch element {
      case .index(let index): "\(text)[\(index)]"
      case .key(let key) where Self.isPlain(key): "\(text).\(key)"
      case .key(let key): "\(text)[\(JSON.string(key).text())]"
      }
    }
  }

  private static func isPlain(_ key: String) -> Bool {
    !key.isEmpty
      && key.utf8.allSatisfy { byte in
        switch UnicodeScalar(byte) {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", "$": true
        default: false
        }
      }
  }
}
