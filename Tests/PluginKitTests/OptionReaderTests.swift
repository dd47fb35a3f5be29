import Devices
import JSON
import PluginKit
import Testing

@Suite struct OptionReaderTests {
  private static let reader = OptionReader([
    "names": ["a", "b"], "mixed": ["a", 1], "list": [["name": "x"], [:]], "word": "a",
    "numbers": [1, 2],
  ])

  private static func message<Value>(_ read: () throws(DeviceError) -> Value) -> String? {
    do {
      _ = try read()
      return nil
    } catch {
      return error.message
    }
  }

  @Test("reads a list of texts, and refuses another list or one that is too long")
  func texts() throws {
    let reader = Self.reader
    #expect(try reader.texts("names") == ["a", "b"])
    #expect(try reader.texts("missing", or: ["c"]) == ["c"])
    for key in ["mixed", "word"] {
      let message = Self.message { () throws(DeviceError) in try reader.texts(key) }
      #expect(message == "the option \"\(key)\" is not a list of at most 1000 texts")
    }
    let long = Self.message { () throws(DeviceError) in try reader.texts("names", most: 1) }
    #expect(long?.contains("at most 1 texts") == true)
  }

  @Test("the errors of an object in a list name its place")
  func objects() throws {
    let entries = try Self.reader.objects("list")
    #expect(try entries[0].required("name") == "x")
    let message = Self.message { () throws(DeviceError) in try entries[1].required("name") }
    #expect(message == "the option \"list[1].name\" is missing")
    #expect(try Self.reader.objects("missing").isEmpty)
    #expect(Self.message { () throws(DeviceError) in try Self.reader.objects("names") } != nil)
  }

  @Test("reads the entries of a list, and names the first that does not fit")
  func entries() throws {
    func numbers(_ key: String) throws(DeviceError) -> [Int] {
      try Self.reader.entries(key, or: [3], expected: "a number") { $0.integer }
    }
    #expect(try numbers("numbers") == [1, 2])
    #expect(try numbers("missing") == [3])
    let message = Self.message { () throws(DeviceError) in try numbers("names") }
    #expect(message == "the option \"names[0]\" is \"a\", expected a number")
  }
}
