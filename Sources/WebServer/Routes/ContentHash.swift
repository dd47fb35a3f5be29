import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import JSON

/// The version of a file: its SHA-256.
struct ContentHash {
  /// 64 hexadecimal digits.
  let text: String
  /// The version as an entity tag (RFC 9110, section 8.8.3).
  var tag: String { "\"\(text)\"" }

  init(_ bytes: [UInt8]) {
    text = Hexadecimal.text(SHA256.hash(data: bytes))
  }
}

extension Request {
  /// Whether the client has the content with this entity tag (RFC 9110, section 13.1.2).
  func matches(_ tag: String) -> Bool {
    let known = headers[.ifNoneMatch] ?? ""
    let tags = known.split(separator: ",").map { tag in
      let tag = tag.drop { $0 == " " }
      return tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
    }
    return known == "*" || tags.contains(Substring(tag))
  }
}
