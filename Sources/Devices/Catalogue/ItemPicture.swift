/// A still of a film or the cover of a song: a JPEG, PNG or WebP file of at most 512 KiB.
///
/// Only the beginning of the file is checked. The picture itself may be damaged.
public struct ItemPicture: Sendable, Hashable {
  /// The format of a picture's file.
  public enum Format: Sendable, Hashable, CaseIterable {
    case jpeg, png, webp

    /// The format of a file that begins with these bytes; `nil` for other files.
    public init?(beginning bytes: some Collection<UInt8>) {
      if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
        self = .jpeg
      } else if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
        self = .png
      } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
        self = .webp
      } else {
        return nil
      }
    }

    /// The media type for HTTP: `image/jpeg`.
    public var mediaType: String {
      switch self {
      case .jpeg: "image/jpeg"
      case .png: "image/png"
      case .webp: "image/webp"
      }
    }
  }

  /// The most bytes of a picture.
  public static let mostBytes = 512 << 10

  /// The whole file.
  public let bytes: [UInt8]
  public let format: Format

  /// Returns `nil` for more than `mostBytes`, and for bytes that do not begin as one of the formats does.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count <= Self.mostBytes, let format = Format(beginning: bytes) else { return nil }
    self.bytes = bytes
    self.format = format
  }
}
