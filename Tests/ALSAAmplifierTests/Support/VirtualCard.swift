import Foundation
import TestSupport

/// The virtual sound card of Tests/Fixtures, with a folder of its own.
struct VirtualCard: Sendable {
  let folder: TemporaryFolder

  /// A card that supports all formats.
  init() throws { folder = try TemporaryFolder() }

  /// The name of its PCM and of its mixer.
  ///
  /// - Parameter settings: Further lines of the definition, such as `rate 48000`, which limits the formats; for the
  ///   mixer, `decibels 0`.
  func pcm(_ settings: String...) -> String {
    let place = folder.path
    let mixer = settings.filter { $0.hasPrefix("decibels") }
    let more = settings.filter { !$0.hasPrefix("decibels") }
    return SoundConfiguration.define("card", key: "\(place) \(settings)") { name in
      """
      pcm.\(name) {
        type virtualcard
        file "\(place)/heard.raw"
        log "\(place)/card.log"
        control "\(place)/control"
        \(more.joined(separator: "\n  "))
      }
      ctl.\(name) { type virtualcard file "\(place)/mixer" \(mixer.first ?? "decibels 1") }

      """
    }
  }

  /// An event of the card's log.
  struct Event: Equatable {
    /// Nanoseconds of the monotonic clock.
    var time: Int64
    var name: String
  }

  /// The events so far.
  var events: [Event] {
    let text = (try? String(contentsOfFile: folder.path(of: "card.log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, let time = Int64(parts[0]) else { return nil }
      return Event(time: time, name: String(parts[1]))
    }
  }

  /// The number of events of a kind.
  func count(_ name: String) -> Int { events.filter { $0.name == name }.count }

  /// Waits for `times` events of a kind; false after 10 s.
  func waitForEvent(_ name: String, times: Int = 1) async -> Bool {
    await eventually(within: 10) { count(name) >= times }
  }

  /// Makes the card fail with one word of its control file; "" ends the failure.
  func control(_ word: String) throws {
    try word.write(toFile: folder.path(of: "control"), atomically: true, encoding: .utf8)
  }

  /// The frames that were heard.
  var heard: [UInt8] {
    get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(of: "heard.raw")))) }
  }

  /// Waits until more than `bytes` further bytes have been heard; false after 10 s.
  func waitForSound(more bytes: Int) async -> Bool {
    let start = (try? heard.count) ?? 0
    return await eventually(within: 10) { ((try? heard.count) ?? 0) > start + bytes }
  }

  /// The monotonic clock that the log uses, ns.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
