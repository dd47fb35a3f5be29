import JSON
import Testing

@Suite("JSON values")
struct ValueTests {
  @Test("numbers are equal when their exact values are")
  func equality() {
    #expect(JSON.integer(1) == 1.0)
    #expect(JSON.integer(1).hashValue == JSON.number(1).hashValue)
    #expect(JSON.integer(1) != 1.5)
    // 2⁵³ + 1 has no Double: rounding must not make it equal to its neighbour.
    #expect(JSON.integer(9_007_199_254_740_993) != .number(9_007_199_254_740_992))
    #expect(JSON.integer(9_007_199_254_740_992) == .number(9_007_199_254_740_992))
    #expect(JSON.integer(1) != true)
    #expect(JSON.integer(1) != "1")
  }

  @Test("an object's order counts in the text, not in equality")
  func order() {
    let one: JSON = ["a": 1, "b": 2]
    let two: JSON = ["b": 2, "a": 1]
    #expect(one == two)
    #expect(one.hashValue == two.hashValue)
    #expect(one.text() == #"{"a":1,"b":2}"#)
    #expect(two.text() == #"{"b":2,"a":1}"#)
    #expect(one != ["a": 1])
    #expect(one != ["a": 1, "c": 2])
  }

  @Test("members are set, exchanged and removed by their key")
  func members() {
    var object: JSONObject = ["a": 1]
    object["b"] = 2
    object["a"] = 3
    object["c"] = nil
    #expect(object.keys == ["a", "b"])
    object["a"] = nil
    #expect(JSON.object(object).text() == #"{"b":2}"#)
  }

  @Test(
    "a written value is read back unchanged, from one line and from several",
    arguments: [
      nil, true, -1, .integer(.min), 0.1, 1e300, 1e15, -2.5, "",
      "a\u{0}\u{1F}\u{7F}\"\\/\n\r\tä😀", [], [:], [1, [nil, "x"], ["a": [:], "b": []]],
    ] as [JSON])
  func roundTrip(_ value: JSON) throws {
    #expect(try JSON(parsing: value.text()) == value)
    #expect(!value.text().contains("\n"))
    #expect(try JSON(parsing: value.prettyText()) == value)
  }

  @Test("JSON has no infinity: it is written as null")
  func infinity() {
    #expect(JSON.array([.number(.infinity), .number(.nan)]).text() == "[null,null]")
  }

  @Test("a whole number is an integer even when it is stored as a Double")
  func integers() {
    #expect(JSON.number(40).integer == 40)
    #expect(JSON.number(40.5).integer == nil)
    #expect(JSON.number(1e300).integer == nil)
    #expect(JSON.string("40").integer == nil)
  }
}
