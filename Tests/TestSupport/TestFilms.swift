import Foundation

/// Short films with known pictures and tones, made with ffmpeg once for each test process.
///
/// `red.mkv`: 3 s, red, 160×90; two sound tracks, English and German; chapters at 0, 1 and 2 s; titled "Red".
/// `blue.mkv`: 2 s, blue, without sound.
public struct TestFilms: Sendable {
  /// The folder of the films.
  public let folder: TemporaryFolder

  private static let shared = Result { try TestFilms() }

  /// Returns the films of this process, and makes them at the first call.
  public static func make() throws -> TestFilms { try shared.get() }

  private init() throws {
    folder = try TemporaryFolder()
    let chapters = [0, 1, 2].map {
      "[CHAPTER]\nTIMEBASE=1/1\nSTART=\($0)\nEND=\($0 + 1)\ntitle=Part \($0 + 1)\n"
    }
    let facts = try folder.write(
      "facts", Array((";FFMETADATA1\ntitle=Red\n" + chapters.joined()).utf8))
    func color(_ name: String, _ seconds: Int) -> [String] {
      ["-f", "lavfi", "-i", "color=\(name):s=160x90:r=25:d=\(seconds)"]
    }
    let picture = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", "25"]
    try Self.ffmpeg(
      color("red", 3)
        + [
          "-f", "lavfi", "-i", "sine=440:r=48000:d=3", "-f", "lavfi", "-i", "sine=880:r=48000:d=3",
        ]
        + ["-i", facts, "-map", "0", "-map", "1", "-map", "2", "-map_metadata", "3"] + picture
        + ["-c:a", "flac", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=deu"]
        + [try folder.file("films/red.mkv")])
    try Self.ffmpeg(color("blue", 2) + picture + [try folder.file("films/blue.mkv")])
  }

  /// A chapter of a DVD: its colour, as ffmpeg names it, and its tone in Hz.
  public struct Chapter: Sendable {
    let color: String
    let tone: Int

    public init(color: String, tone: Int) { (self.color, self.tone) = (color, tone) }
  }

  /// Makes a DVD in 16:9: `Ferry`, a DVD folder, and `Night.iso`, its image.
  ///
  /// - Parameter seconds: The length of each chapter.
  public static func makeDVD(
    in folder: TemporaryFolder, seconds: Int = 2,
    chapters: [Chapter] = [.init(color: "green", tone: 440), .init(color: "green", tone: 440)]
  ) throws {
    let film = try folder.file("film.mpg")
    let sources = chapters.flatMap {
      [
        "-f", "lavfi", "-i", "color=\($0.color):s=352x288:r=25:d=\(seconds)", "-f", "lavfi", "-i",
        "sine=\($0.tone):r=48000:d=\(seconds),volume=4",
      ]
    }
    try ffmpeg(
      sources + [
        "-filter_complex", "concat=n=\(chapters.count):v=1:a=1", "-target", "pal-dvd", "-s",
        "352x288", "-aspect", "16:9", "-g", "12", film,
      ])
    let begins = chapters.indices.map { "\($0 * seconds)" }.joined(separator: ",")
    let project = try folder.write(
      "dvd.xml",
      Array(
        ("<dvdauthor><vmgm/><titleset><titles><pgc><vob file=\"\(film)\" chapters=\"\(begins)\"/></pgc>"
          + "</titles></titleset></dvdauthor>").utf8))
    let disc = try folder.file("discs/Ferry")
    try tool("dvdauthor", ["-o", disc, "-x", project], environment: ["VIDEO_FORMAT": "PAL"])
    try tool(
      "genisoimage", ["-quiet", "-dvd-video", "-o", folder.path(of: "discs/Night.iso"), disc])
  }

  /// The folder that a player scans.
  public var path: String { folder.path(of: "films") }

  /// Runs ffmpeg to its end.
  public static func ffmpeg(_ arguments: [String]) throws {
    try tool("ffmpeg", ["-v", "error", "-y", "-nostdin"] + arguments)
  }

  /// Runs a tool of the system to its end.
  public static func tool(
    _ name: String, _ arguments: [String], environment: [String: String] = [:]
  ) throws {
    let outcome = try Program.runBlocking(
      name, arguments, environment: ProcessInfo.processInfo.environment.merging(environment) { $1 })
    guard outcome.status == 0 else {
      throw Program.Missing(description: "\(name) ended with \(outcome.status): \(outcome.errors)")
    }
  }
}
