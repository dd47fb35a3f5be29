import Foundation
import TestSupport

@testable import WebServer

/// The page as `Scripts/stage-page` writes it, read once.
enum StagedPage {
  private static let staged = Result { try read() }

  static var site: Site {
    get throws { try staged.get() }
  }

  private static func read() throws -> Site {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let process = Process()
    process.executableURL =
      URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../Scripts/stage-page").standardizedFileURL
    process.arguments = [folder.path(of: "site")]
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw SiteError("Scripts/stage-page failed with the code \(process.terminationStatus)")
    }
    return try Site(folder: folder.path(of: "site"))
  }
}
