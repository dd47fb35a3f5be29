/// The members of a JSON object, in the order in which they were written.
///
/// Look-up is linear: objects on a wire and in a configuration have a handful of members, and an
/// array of pairs is both smaller and faster than a dictionary there.
public struct JSONObject: Sendable, Sequence, ExpressibleByDictionaryLiteral {
  /// One member.
  public typealias Member = (key: String, value: JSON)
  private var members: [Member]

  /// An object of these members; of a key given twice the last value counts.
  public init(_ members: some Sequence<(String, JSON)> = []) {
    self.members = []
    for (key, value) in members { self[key] = value }
  }

  /// Takes members whose keys are known to differ.
  init(unique members: [Member]) { self.members = members }

  public init(dictionaryLiteral elements: (String, JSON)...) {
    members = []
    // Most objects that begin as a literal grow by a member or two.
    members.reserveCapacity(Swift.max(4, elements.count))
    for (key, value) in elements { self[key] = value }
  }

  /// How many members there are.
  public var count: Int { members.count }
  /// Whether there is no member.
  public var isEmpty: Bool { members.isEmpty }
  /// The keys, as written.
  public var keys: [String] { members.map(\.key) }

  /// The value of `key`; setting `nil` removes the member.
  public subscript(key: String) -> JSON? {
    get {
      for member in members where member.key == key { return member.value }
      return nil
    }
    set {
      let index = members.firstIndex { $0.key == key }
      switch (index, newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append((key, value))
      case (nil, nil): break
      }
    }
  }

  public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSONObject: Hashable {
  public static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.count == right.count && left.allSatisfy { right[$0.key] == $0.value }
  }

  public func hash(into hasher: inout Hasher) {
    // Members in any order must hash alike.
    var mixed = 0
    for member in members {
      var each = Hasher()
      each.combine(member.key)
      each.combine(member.value)
      mixed ^= each.finalize()
    }
    hasher.combine(mixed)
  }
}
