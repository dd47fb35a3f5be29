/// The members of a JSON object, in the order in which they were written.
///
/// Keys are compared by their bytes. Look-up is linear: objects on a wire and in a configuration have
/// a handful of members, and an array of pairs is both smaller and faster than a dictionary there.
public struct JSONObject: Sendable, Sequence, ExpressibleByDictionaryLiteral {
  /// One member.
  public typealias Member = (key: String, value: JSON)
  private var members: [Member]
  /// Above this many members a look-up table costs less than comparing all of them.
  static let mostToScan = 16

  /// An object of these members; of a key given twice the last value counts.
  public init(_ members: some Sequence<(String, JSON)> = []) {
    self.members = []
    var places: [UTF8Key: Int] = [:]
    for (key, value) in members {
      guard count >= Self.mostToScan else {
        self[key] = value
        continue
      }
      if places.isEmpty { places = self.places }
      if let place = places.updateValue(count, forKey: UTF8Key(key)) {
        places[UTF8Key(key)] = place
        self.members[place].value = value
      } else {
        self.members.append((key, value))
      }
    }
  }

  /// The index of each member by its key.
  private var places: [UTF8Key: Int] {
    Dictionary(
      members.indices.map { (UTF8Key(members[$0].key), $0) },
      uniquingKeysWith: { first, _ in first })
  }

  /// Creates an object of members whose keys are known to differ.
  init(unique members: [Member]) { self.members = members }

  public init(dictionaryLiteral elements: (String, JSON)...) {
    members = []
    // Most objects that begin as a literal grow by a member or two.
    members.reserveCapacity(Swift.max(4, elements.count))
    for (key, value) in elements { self[key] = value }
  }

  /// The number of members.
  public var count: Int { members.count }
  /// Whether there is no member.
  public var isEmpty: Bool { members.isEmpty }
  /// The keys, as written.
  public var keys: [String] { members.map(\.key) }

  /// The value of `key`; setting `nil` removes the member.
  public subscript(key: String) -> JSON? {
    get {
      for member in members where member.key.hasSameBytes(as: key) { return member.value }
      return nil
    }
    set {
      let index = members.firstIndex { $0.key.hasSameBytes(as: key) }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((key, value))
      case (nil, nil): break
      }
    }
  }

  /// Iterates over the members in their order.
  public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSONObject: Hashable {
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    guard left.count == right.count else { return false }
    guard left.count > mostToScan else { return left.allSatisfy { right[$0.key] == $0.value } }
    let places = right.places
    return left.allSatisfy { key, value in
      places[UTF8Key(key)].map { right.members[$0].value == value } ?? false
    }
  }

  public func hash(into hasher: inout Hasher) {
    // Members in any order must hash alike.
    var mixed = 0
    for member in members {
      var each = Hasher()
      each.combine(UTF8Key(member.key))
      each.combine(member.value)
      mixed ^= each.finalize()
    }
    hasher.combine(mixed)
  }
}
