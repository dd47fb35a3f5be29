// A release links the static Swift libraries, which have no module `Testing`.
#if canImport(Testing)
  import Foundation
  import Testing

  /// Access to files of the project: those that tests read, and those that its code generates.
  public enum ProjectFile {
    /// Whether tests write the generated files instead of comparing them.
    private static let isGenerating =
      ProcessInfo.processInfo.environment["THEATER_GENERATE"] != nil

    /// Returns the text of a file.
    ///
    /// - Parameter path: Relative to the project's folder.
    public static func text(_ path: String) throws -> String {
      try String(contentsOf: Program.project.appending(path: path), encoding: .utf8)
    }

    /// Expects that a generated file has this text, and is executable or not as its generator makes it;
    /// `make generate` writes it first.
    public static func expect(
      _ path: String, toBe text: String, isExecutable: Bool = false,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let file = Program.project.appending(path: path)
      if isGenerating { try write(text, isExecutable: isExecutable, to: file) }
      let isCurrent =
        try Self.text(path) == text
        && FileManager.default.isExecutableFile(atPath: file.path) == isExecutable
      #expect(
        isCurrent, "\(path) is not as the code generates it: run make generate",
        sourceLocation: sourceLocation)
    }

    /// Writes a generated file in place of an old one, with the mode that git gives to files of its kind.
    static func write(_ text: String, isExecutable: Bool, to file: URL) throws {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      // An atomic write makes a new file, which has neither the old one's mode nor a program's.
      try Data(text.utf8).write(to: file, options: .atomic)
      try FileManager.default.setAttributes(
        [.posixPermissions: isExecutable ? 0o755 : 0o644], ofItemAtPath: file.path)
    }

    /// Expects that the generated part of a page has this text; `make generate` writes it first.
    ///
    /// The part stands between the lines `<!-- PART: written by make generate -->` and `<!-- end of PART -->`.
    public static func expect(
      _ part: String, of path: String, toBe text: String,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let page = try Self.text(path)
      let begin = try #require(
        page.range(of: "<!-- \(part): written by make generate -->\n"),
        sourceLocation: sourceLocation
      )
      let end = try #require(
        page.range(of: "<!-- end of \(part) -->"), sourceLocation: sourceLocation)
      try expect(
        path, toBe: page[..<begin.upperBound] + text + page[end.lowerBound...],
        sourceLocation: sourceLocation)
    }
  }
#endif
