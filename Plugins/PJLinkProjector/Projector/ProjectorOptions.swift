import Devices
import JSON
import PJLink
import PluginKit

/// The validated options of a projector. The controller has checked them against the manifest; they are checked again
/// here, because the plugin may run without the controller.
struct ProjectorOptions: Sendable {
  /// The shape of the picture. The raw values are those of the state key `picture`.
  enum Picture: String, CaseIterable, Sendable {
    case tv
    case wideScreen

    /// The command that selects the picture.
    var command: String { self == .tv ? "tvMode" : "wideScreenMode" }
    /// The option that names the input of the picture.
    var option: String { self == .tv ? "tvInput" : "wideScreenInput" }
  }

  let host: String
  let port: UInt16
  let authentication: Authentication
  /// The names that the options give to inputs.
  let names: [PJLinkInput: String]
  /// The input of each picture for which the options name one.
  let pictures: [Picture: PJLinkInput]
  /// The time between two rounds of polling, 2 to 3,600 s.
  let polling: Duration
  /// How long the lamp usually takes to warm up and to cool down, each 0 to 600 s.
  let warmUp: Duration
  let coolDown: Duration

  /// - Throws: `invalid` with the name of the wrong option.
  init(_ json: JSON) throws(DeviceError) {
    let reader = OptionReader(json)
    host = try reader.required("host")
    port = UInt16(try reader.integer("port", in: 1...65_535) ?? 4352)
    authentication = Authentication(
      password: try reader.text("password"),
      policy: try reader.choice("authentication", or: .auto))
    let inputs = try reader.inputs("inputs")
    names = Dictionary(inputs.map { ($0.input, $0.name) }, uniquingKeysWith: { first, _ in first })
    var pictures: [Picture: PJLinkInput] = [:]
    for picture in Picture.allCases {
      pictures[picture] = try reader.input(picture.option, among: inputs)
    }
    if let tv = pictures[.tv], tv == pictures[.wideScreen] {
      throw DeviceError(
        .invalid, "\"tvInput\" and \"wideScreenInput\" name the same input, \(tv.code)",
        hint: "Leave one of them out.")
    }
    self.pictures = pictures
    polling = .seconds(try reader.number("polling", in: 2...3600, or: 10))
    warmUp = .seconds(try reader.number("warmUp", in: 0...600, or: 30))
    coolDown = .seconds(try reader.number("coolDown", in: 0...600, or: 90))
  }

  /// Returns the name of an input; without one, its PJLink code.
  func name(of input: PJLinkInput) -> String { names[input] ?? input.code }

  /// Returns the picture of an input; nil if the options name none for it.
  func picture(of input: PJLinkInput) -> Picture? { pictures.first { $0.value == input }?.key }
}

extension OptionReader {
  /// Reads the list of inputs with names.
  fileprivate func inputs(_ key: String) throws(DeviceError) -> [(name: String, input: PJLinkInput)]
  {
    guard let value = json[key] else { return [] }
    guard let list = value.array else { throw error(key, "is not a list") }
    var inputs: [(name: String, input: PJLinkInput)] = []
    for (index, entry) in list.enumerated() {
      guard let name = entry["name"]?.string, let code = entry["input"]?.string,
        let input = PJLinkInput(code)
      else {
        throw error(
          "\(key)[\(index)]",
          "has no name and PJLink input, such as "
            + "{\"name\": \"Player\", \"input\": \"31\"}")
      }
      inputs.append((name, input))
    }
    return inputs
  }

  /// Reads an input: one of the names in `inputs`, or a PJLink input such as `31`. Nil if the option is missing.
  fileprivate func input(_ key: String, among inputs: [(name: String, input: PJLinkInput)])
    throws(DeviceError) -> PJLinkInput?
  {
    guard let name = try text(key) else { return nil }
    if let input = inputs.first(where: { $0.name == name })?.input ?? PJLinkInput(name) {
      return input
    }
    throw error(
      key, "is \"\(name)\", which is neither a name in \"inputs\" nor a PJLink input")
  }
}
