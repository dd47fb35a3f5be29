import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The files of the page: a fixed table, read once. No request names a file of the disk.
///
/// The shell, `index.html`, answers every address of the app (`/`, `/room`, `/register`, …).
/// Browsers revalidate it each time, as they do the service worker and the manifest. These three
/// name all other files below `/page/HASH/`, where HASH covers the content of all files, so that
/// browsers may keep the others for ever. Files are served minified (`FileMinifier`).
package struct Site: Sendable {
  /// The addresses of the app. The page's own script decides what each shows.
  package static let addresses = [
    "/", "/login", "/register", "/guest", "/code", "/reset", "/home", "/room", "/library",
    "/player", "/radio", "/scenes", "/devices", "/people", "/plugins", "/settings", "/account",
    "/configuration", "/doctor", "/setup",
  ]
  /// The folder of the texts, with files for each language.
  static let texts = "text/"
  /// The folders beside the shell.
  private static let folders = ["css", "js", "text"]
  /// The files whose address must never change. They may contain the placeholder.
  private static let fixed: Set = ["service-worker.js", "manifest.webmanifest"]
  /// Stands for `page/HASH` in the shell.
  static let placeholder = "@page@"
  /// The largest accepted file, in bytes.
  static let largestFile = 1 << 20

  /// The answers by path: `/room` and `/page/HASH/js/app.js`.
  package let files: [String: SiteFile]

  /// Makes the table.
  ///
  /// - Parameter contents: The bytes of each file by its path in the folder: `js/app.js`.
  /// - Throws: `SiteError` without a shell, or with a file of an unknown type.
  package init(contents: [String: [UInt8]]) throws(SiteError) {
    guard contents["index.html"] != nil else { throw SiteError("it has no index.html") }
    var digest = SHA256()
    for (name, bytes) in contents.sorted(by: { $0.key < $1.key }) {
      digest.update(data: Data("\(name)\0\(bytes.count)\0".utf8))
      digest.update(data: Data(bytes))
    }
    let hash = digest.finalize().prefix(10).map { String(format: "%02x", $0) }.joined()
    var files: [String: SiteFile] = [:]
    for (name, bytes) in contents {
      guard let type = Self.mediaType(of: name) else {
        throw SiteError("\(name) is of no type that the page uses")
      }
      guard name == "index.html" || Self.fixed.contains(name) else {
        files["/page/\(hash)/\(name)"] = SiteFile(name, bytes, type: type, tag: hash, lasts: true)
        continue
      }
      let text = String(decoding: bytes, as: UTF8.self)
        .replacing(Self.placeholder, with: "page/\(hash)")
      let file = SiteFile(name, Array(text.utf8), type: type, tag: hash, lasts: false)
      for address in Self.fixed.contains(name) ? ["/\(name)"] : Self.addresses {
        files[address] = file
      }
    }
    self.files = files
  }

  /// Reads the files of a folder and of its folders `css`, `js` and `text`. Hidden files are left
  /// out.
  ///
  /// - Throws: `SiteError` for a file that cannot be read or has more than `largestFile` bytes, and
  ///   as `init(contents:)`.
  package init(folder: String) throws(SiteError) {
    var contents: [String: [UInt8]] = [:]
    do {
      for part in [""] + Self.folders.map({ "\($0)/" })
      where part.isEmpty || FileManager.default.fileExists(atPath: "\(folder)/\(part)") {
        for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(part)") {
          guard !name.hasPrefix("."), !Self.folders.contains(name) else { continue }
          let file = try FileHandle(
            forReadingFrom: URL(fileURLWithPath: "\(folder)/\(part)\(name)"))
          let bytes = try file.read(upToCount: Self.largestFile + 1) ?? Data()
          guard bytes.count <= Self.largestFile else {
            throw SiteError("\(part)\(name) is larger than \(Self.largestFile / 1024) KiB")
          }
          contents[part + name] = Array(bytes)
        }
      }
    } catch let error as SiteError {
      throw error
    } catch {
      throw SiteError("\(folder) cannot be read: \(error.localizedDescription)")
    }
    try self.init(contents: contents)
  }

  private static func mediaType(of name: String) -> String? {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "flac": "audio/flac"
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "json" where name.hasPrefix(texts): "text/plain; charset=\(CyrillicEncoding.charset)"
    case "json": "application/json"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webmanifest": "application/manifest+json"
    default: nil
    }
  }
}

/// The reason why the page cannot be served.
package struct SiteError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// One file of the page as an answer.
package final class SiteFile: Sendable {
  /// A file is minified when it is first served, so that the controller starts without that work.
  private enum Content {
    case read([UInt8])
    case minified(ByteBuffer)
  }

  let headers: HTTPFields
  private let name: String
  private let content: Mutex<Content>

  /// - Parameter lasts: Whether the address changes with the content, so that a cached copy never
  ///   gets old.
  init(_ name: String, _ bytes: [UInt8], type: String, tag: String, lasts: Bool) {
    self.name = name
    content = Mutex(.read(bytes))
    headers = [
      .contentType: type, .eTag: "\"\(tag)\"",
      .cacheControl: lasts ? "public, max-age=31536000, immutable" : "no-cache",
      .contentSecurityPolicy: Self.policy,
      .crossOriginEmbedderPolicy: "require-corp",
    ]
  }

  /// The bytes that are served.
  var body: ByteBuffer {
    content.withLock { content in
      switch content {
      case .minified(let body): return body
      case .read(let bytes):
        let body = ByteBuffer(bytes: FileMinifier.minified(bytes, of: name))
        content = .minified(body)
        return body
      }
    }
  }

  /// Only the page's own files are used, and no text becomes markup or code. The one trusted-types
  /// policy, `worker`, is for the constant address of the service worker.
  private static let policy = [
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'",
    "connect-src 'self'", "media-src 'self'", "manifest-src 'self'", "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types worker",
  ].joined(separator: "; ")

  /// Answers a GET or HEAD: 304 if the client has this content (RFC 9110, section 13.1.2).
  func response(to request: Request) -> Response {
    let body = body
    if let own = headers[.eTag], request.matches(own) {
      var headers = headers
      headers[.contentType] = nil
      // The length that a 200 would have (RFC 9110, section 8.6).
      headers[.contentLength] = "\(body.readableBytes)"
      return Response(status: .notModified, headers: headers)
    }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
  }
}
