import JSON

/// Makes wrong and unusual configurations out of a right one, one change at a time.
enum Mutations {
  /// Values that are right in some places and wrong in most.
  private static let values: [JSON] = [
    nil, true, -1, 7, 40.0, 98.5, 1e9, "", "x", "on", "play", "dvd", "film", "$film", "$", [], [1],
    [:], ["secret": "x"], ["on": nil], ["play": [:]], ["volume": 50],
  ]
  private static let keys = [
    "until", "steps", "on", "secret", "am", "über", "a b", "", "title", "options",
  ]

  /// Every configuration that differs from `json` in one place.
  static func all(of json: JSON) -> [JSON] {
    var mutants = values
    switch json {
    case .array(let elements):
      mutants.append(.array(elements + elements))
      for index in elements.indices {
        mutants.append(.array(elements.with([], at: index)))
        for mutant in all(of: elements[index]) {
          mutants.append(.array(elements.with([mutant], at: index)))
        }
      }
    case .object(let object):
      for key in keys where object[key] == nil {
        mutants.append(.object(object.with(key, "x")))
        mutants.append(.object(object.with(key, ["on": 1])))
      }
      for (key, value) in object {
        mutants.append(.object(object.with(key, nil)))
        mutants.append(.object(object.with(key, nil).with(key + "x", value)))
        for mutant in all(of: value) { mutants.append(.object(object.with(key, mutant))) }
      }
    default: break
    }
    return mutants
  }
}

extension [JSON] {
  fileprivate func with(_ replacement: [JSON], at index: Int) -> [JSON] {
    var copy = self
    copy.replaceSubrange(index...index, with: replacement)
    return copy
  }
}

extension JSONObject {
  fileprivate func with(_ key: String, _ value: JSON?) -> JSONObject {
    var copy = self
    copy[key] = value
    return copy
  }
}
