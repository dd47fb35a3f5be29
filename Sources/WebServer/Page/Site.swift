import Foundation

/// The files of the page: a fixed table, read once. No request names a file of the disk.
///
/// `Scripts/stage-page` writes the folder. The shell, `index.html`, answers every address of the app (`/`, `/room`,
/// `/register`, …). Browsers revalidate it each time, as they do the service worker and the manifest. These three name
/// all other files below `/page/HASH/`, where HASH covers the content of all files, so that browsers may keep the
/// others for ever. A file `NAME.gz` is the compressed form of the file `NAME`.
package struct Site: Sendable {
  /// The addresses of the app. The page's own script decides what each shows.
  package static let addresses = [
    "/", "/login", "/register", "/guest", "/code", "/reset", "/home", "/room", "/library",
    "/player", "/radio", "/scenes", "/devices", "/people", "/plugins", "/settings", "/account",
    "/configuration", "/doctor", "/setup",
  ]
  private static let shell = "index.html"
  /// The folder of the files that browsers may keep.
  private static let lasting = "page/"
  private static let compressed = ".gz"
  /// The largest accepted file, in bytes.
  static let largestFile = 1 << 20
  /// The largest accepted number of files.
  static let mostFiles = 1000

  /// The answers by path: `/room` and `/page/HASH/js/main.js`.
  package let files: [String: SiteFile]

  /// Makes the table.
  ///
  /// - Parameter contents: The bytes of each file by its path in the folder: `page/HASH/js/main.js`.
  /// - Throws: `SiteError` without a shell, with a file of an unknown type, or with a compressed file alone.
  package init(contents: [String: [UInt8]]) throws(SiteError) {
    guard contents[Self.shell] != nil else {
      throw SiteError("it has no \(Self.shell). Write the folder with Scripts/stage-page")
    }
    var files: [String: SiteFile] = [:]
    for (name, bytes) in contents {
      if name.hasSuffix(Self.compressed) {
        guard contents[String(name.dropLast(Self.compressed.count))] == nil else { continue }
        throw SiteError("\(name) is the compressed form of no file")
      }
      guard let type = Self.mediaType(of: name) else {
        throw SiteError("\(name) is of no type that the page uses")
      }
      let file = SiteFile(
        bytes, compressed: contents[name + Self.compressed], type: type,
        lasts: name.hasPrefix(Self.lasting))
      for path in name == Self.shell ? Self.addresses : ["/\(name)"] { files[path] = file }
    }
    self.files = files
  }

  /// Reads the files of a folder and of the folders in it. Hidden files are left out.
  ///
  /// - Throws: `SiteError` for a folder or a file that cannot be read, for more than `mostFiles` files, for a file of
  ///   more than `largestFile` bytes, and as `init(contents:)`.
  package init(folder: String) throws(SiteError) {
    var contents: [String: [UInt8]] = [:]
    do {
      let root = URL(fileURLWithPath: folder)
      for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
        let url = root.appendingPathComponent(name)
        let isFile = try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
        let isHidden = name.split(separator: "/").contains { $0.hasPrefix(".") }
        guard isFile, !isHidden else { continue }
        guard contents.count < Self.mostFiles else {
          throw SiteError("it has more than \(Self.mostFiles) files")
        }
        contents[name] = try Self.bytes(of: url, name)
      }
    } catch let error as SiteError {
      throw error
    } catch {
      throw SiteError("\(folder) cannot be read: \(error.localizedDescription)")
    }
    try self.init(contents: contents)
  }

  private static func bytes(of url: URL, _ name: String) throws -> [UInt8] {
    let file = try FileHandle(forReadingFrom: url)
    defer { try? file.close() }
    let bytes = try file.read(upToCount: largestFile + 1) ?? Data()
    guard bytes.count <= largestFile else {
      throw SiteError("\(name) is larger than \(largestFile / 1024) KiB")
    }
    return Array(bytes)
  }

  private static func mediaType(of name: String) -> String? {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "flac": "audio/flac"
    case "html": "text/html; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
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
