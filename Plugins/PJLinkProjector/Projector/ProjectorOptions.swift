import Devices
import JSON
import PluginKit

/// The options of a projector. The controller has checked them against the manifest; reading checks them
/// again, for other hosts of the plugin.
struct ProjectorOptions: Sendable {
  /// The shape of the picture: the values of `picture`.
  enum Picture: String, CaseIterable, Sendable {
    case tv
    case wideScreen

    /// The command that shows it.
    var command: String { self == .tv ? "tvMode" : "wideScreenMode" }
    /// The option that names its input.
    var option: String { self == .tv ? "tvInput" : "wideScreenInput" }
  }

  let host: String
  let port: UInt16
  let authentication: Authentication
  /// The inputs that have a name.
  let names: [PJLinkInput: String]
  /// The input of each picture that the options name.
  let pictures: [Picture: PJLinkInput]
  /// The time between two rounds of questions.
  let polling: Duration
  let warmUp: Duration
  let coolDown: Duration

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

  /// The name of an input for people.
  func name(of input: PJLinkInput) -> String { names[input] ?? input.code }

  /// The picture of an input; nil if the options name none for it.
  func picture(of input: PJLinkInput) -> Picture? { pictures.first { $0.value == input }?.key }
}

extension OptionReader {
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
