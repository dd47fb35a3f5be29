import Devices
import JSON

extension MessageGroup {
  /// The messages of the facet `MediaSource`.
  static let mediaSource = MessageGroup(
    title: "the catalogue of a player or tuner",
    messages: [ScanRequest.self, PictureRequest.self])
}

/// Asks a player for its catalogue.
public struct ScanRequest: PluginRequest {
  /// A part of a catalogue: as many items as fit into a line.
  public struct Page: Sendable, Hashable {
    /// The items of this page.
    public let items: [CatalogueItem]
    /// The cursor that requests the next page; `nil` at the end.
    public let next: String?
    /// The files that the player leaves out, at most `CatalogueListing.mostLeftOut`, and the number of all of them.
    /// Only the first page of a catalogue has them.
    public let leftOut: [CatalogueListing.LeftOutFile]
    public let leftOutCount: Int

    public init(
      _ items: [CatalogueItem], next: String? = nil,
      leftOut: [CatalogueListing.LeftOutFile] = [], leftOutCount: Int = 0
    ) {
      self.items = items
      self.next = next
      self.leftOut = leftOut
      self.leftOutCount = leftOutCount
    }
  }

  public static let method = "scan"
  public static let deadline = Duration.seconds(300)
  /// The player.
  public let device: DeviceID
  /// An absolute path, or `nil` for the player's own discs.
  public let folder: String?
  /// Empty for the first page, then the `next` of the previous page; `nil` from a controller that
  /// requests no pages.
  public let cursor: String?

  public init(device: DeviceID, folder: String?, cursor: String? = nil) {
    self.device = device
    self.folder = folder
    self.cursor = cursor
  }

  public var params: JSON {
    var object: JSONObject = ["device": .string(device.name)]
    if let folder { object["folder"] = .string(folder) }
    if let cursor { object["cursor"] = .string(cursor) }
    return .object(object)
  }

  /// A folder or cursor that is not a text counts as missing.
  public init?(params: JSON) {
    guard let device = params["device"]?.string else { return nil }
    self.init(
      device: DeviceID(device), folder: params["folder"]?.string,
      cursor: params["cursor"]?.string)
  }

  /// Items that cannot be read are left out; `nil` without a list of items.
  public static func decodeAnswer(_ result: JSON) -> Page? {
    guard let items = result["items"]?.array else { return nil }
    let leftOut = (result["leftOut"]?.array ?? []).prefix(CatalogueListing.mostLeftOut)
      .compactMap(CatalogueListing.LeftOutFile.init)
    return Page(
      items.compactMap(CatalogueItem.init), next: result["next"]?.string, leftOut: leftOut,
      leftOutCount: max(leftOut.count, result["leftOutCount"]?.integer ?? 0))
  }

  public static func encodeAnswer(_ answer: Page) -> JSON {
    var object: JSONObject = ["items": .array(answer.items.map(\.json))]
    if let next = answer.next { object["next"] = .string(next) }
    if !answer.leftOut.isEmpty {
      object["leftOut"] = .array(answer.leftOut.map(\.json))
      object["leftOutCount"] = .integer(answer.leftOutCount)
    }
    return .object(object)
  }
}

/// Asks a player for the picture of an item.
public struct PictureRequest: PluginRequest {
  /// The answer of a player: a picture, or none.
  public struct Answer: Sendable, Hashable {
    /// The picture; `nil` if the item has none, and for an answer with a fault.
    public let picture: ItemPicture?
    /// The reason why the picture of the answer cannot be used; `nil` if there is none.
    public let fault: String?

    public init(_ picture: ItemPicture?) {
      self.picture = picture
      fault = nil
    }

    fileprivate init(fault: String) {
      picture = nil
      self.fault = fault
    }
  }

  public static let method = "picture"
  public static let deadline = Duration.seconds(30)
  public static let since = ProtocolVersion(major: 1, minor: 4)
  public let device: DeviceID
  /// The id of a catalogue item.
  public let item: String

  public init(device: DeviceID, item: String) {
    self.device = device
    self.item = item
  }

  public var params: JSON { ["device": .string(device.name), "item": .string(item)] }

  public init?(params: JSON) {
    guard let device = params["device"]?.string, let item = params["item"]?.string else {
      return nil
    }
    self.init(device: DeviceID(device), item: item)
  }

  public static func decodeAnswer(_ result: JSON) -> Answer? {
    guard let data = result["data"] else { return Answer(nil) }
    guard let bytes = data.string.flatMap(Base64.bytes) else {
      return Answer(fault: "its data are not base64 text")
    }
    guard bytes.count <= ProtocolLimits.picture else {
      return Answer(fault: "it has more than \(ProtocolLimits.picture) bytes")
    }
    guard let picture = ItemPicture(bytes) else {
      return Answer(fault: "it is neither a JPEG nor a PNG nor a WebP file")
    }
    return Answer(picture)
  }

  public static func encodeAnswer(_ answer: Answer) -> JSON {
    answer.picture.map { ["data": .string(Base64.text($0.bytes))] } ?? [:]
  }
}
