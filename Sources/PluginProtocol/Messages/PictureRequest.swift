import Devices
import JSON

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
  /// The longest wait for the answer.
  public static let longest = Duration.seconds(30)
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
