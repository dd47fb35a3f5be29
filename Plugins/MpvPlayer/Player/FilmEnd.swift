import Glibc
import Platform

/// The end of a medium: what is known about it, and whether it was the end of the film.
///
/// mpv reports the same "end of file" for a film that is over, for half a file, for a damaged disc and for a broken
/// connection. Three facts tell them apart: errors of reading, missing bytes, and the duration that the container
/// declares. A declared duration alone can be wrong, so a file whose bytes are all there and were all read has ended.
struct FilmEnd: Equatable, Sendable {
  /// What was found on the disk after the end.
  struct Inspection: Equatable, Sendable {
    var extent = FileExtent()
    /// Whether the file has become shorter since it was opened.
    var hasShrunk = false
    /// The error of the system when the rest of the file is read; nil without one.
    var error: String?
    /// Whether ``error`` says that the disk or share does not answer.
    var isSilent = false
    /// Whether the disk or share is too slow to examine the file in time.
    var isUnfinished = false
  }

  /// The medium's facts when it was opened.
  let facts: MediaFacts
  let isDisc: Bool
  /// The position of the end, in seconds.
  let position: Double
  /// The last error of mpv about reading the medium, with no data after it; nil without one.
  let readError: String?
  /// Whether the last packets came from the end of the file; nil if that is unknown.
  let isReadToEnd: Bool?
  /// The place in the file of one of the last packets, in bytes; nil if it is unknown.
  var lastPlace: Double?
  var inspection = Inspection()

  /// The reason why the medium has broken off; nil if it has ended.
  var failure: String? {
    if let error = inspection.error, isFarTooEarly, mayBelieveInspection {
      return "it cannot be read further: \(error)"
    }
    if inspection.hasShrunk || inspection.extent.completeness == .cut, isEarly {
      return "the file is incomplete: it ends at \(time(position)), before its declared end"
    }
    if let readError, mayBelieve(readError) { return "it broke off: \(readError)" }
    guard isFarTooEarly, let duration else { return nil }
    let text = "it broke off at \(time(position)) of \(time(duration))"
    switch inspection.extent.completeness {
    case .whole: return isReadToEnd == false ? text : nil
    case .cut: return text
    case .unknown where inspection.isUnfinished: return isReadToEnd == false ? text : nil
    case .unknown: return isDurationDeclared ? text : nil
    }
  }

  private var isDurationDeclared: Bool { facts.declaresDuration || isDisc }

  /// A disk that went away after the end says nothing about the end. An estimated duration does not tell either.
  private var mayBelieveInspection: Bool {
    isDurationDeclared || (inspection.isSilent ? isReadToEnd == false : isReadToEnd != true)
  }

  /// Whether the duration explains the end, without an inspection.
  var isNearItsEnd: Bool { readError == nil && !isFarTooEarly }

  private var duration: Double? { inspection.extent.duration ?? facts.duration }

  /// How much earlier than declared the end is, in seconds; nil without a duration.
  private var lead: Double? { duration.map { $0 - position } }

  /// Whether the end is before the last frames. A DVD is ended by the player a moment before its end.
  private var isEarly: Bool { lead.map { $0 > (isDisc ? 0.5 : 0.08) } ?? true }

  /// Whether the end is so early that the credits cannot explain it: more than 10 s and 1 % of the duration.
  private var isFarTooEarly: Bool {
    guard let lead, let duration else { return false }
    return lead > max(10, duration / 100)
  }

  /// An error of reading counts unless the film had nothing more to read. An estimated duration follows what was read,
  /// so it does not tell.
  private func mayBelieve(_ error: String) -> Bool {
    if inspection.extent.completeness == .whole { return isFarTooEarly }
    return isDurationDeclared ? isEarly : isReadToEnd != true
  }

  private func time(_ seconds: Double) -> String {
    let whole = Int(min(max(0, seconds), 1e9))
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60)
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return hours > 0 ? "\(hours):\(two(minutes)):\(two(rest))" : "\(minutes):\(two(rest))"
  }
}

extension FilmEnd.Inspection {
  /// Examines a file. Reads the disk and blocks.
  ///
  /// - Parameter size: The size of the file in bytes when it was opened; nil if it is unknown.
  init(of path: String, size: Int?, _ end: FilmEnd) {
    let file: MediaFile
    do throws(SystemError) {
      file = try MediaFile(path)
    } catch {
      if error.code != EINVAL { self.error = error.description.lowercased() }
      return
    }
    extent = FileExtent(file)
    hasShrunk = size.map { file.size < $0 } ?? false
    // mpv takes a damaged place of a disc for the end of the file. It lies behind the place of the last picture.
    let part = end.facts.duration.map { min(1, end.position / max(1, $0)) } ?? 0
    let last = end.lastPlace.flatMap { Int(exactly: $0.rounded()) }
    let place = last.map { $0 - (1 << 20) } ?? Int(Double(file.size) * part) - (4 << 20)
    self.error = file.error(from: place, to: file.size)?.description.lowercased()
  }
}

/// How far mpv has read a medium, according to its last answers.
struct ReadingProgress: Equatable, Sendable {
  /// The position in seconds, and the place in the file of the packet that was decoded then.
  private var last: (seconds: Double, place: Double)?
  /// The time in seconds up to which data were there when the last error of reading was first seen.
  private var errorTime: Double?

  static func == (left: ReadingProgress, right: ReadingProgress) -> Bool {
    left.last?.seconds == right.last?.seconds && left.last?.place == right.last?.place
      && left.errorTime == right.errorTime
  }

  /// Returns the place in the file, in bytes, of a packet shortly before an end at `seconds`; nil if it is unknown.
  func place(before seconds: Double) -> Double? {
    last.flatMap { abs(seconds - $0.seconds) < 3 ? $0.place : nil }
  }

  /// Stores mpv's answer. Returns whether data came after the last error of reading.
  mutating func record(_ answer: PositionAnswer, hasError: Bool) -> Bool {
    if let seconds = answer.seconds, let place = answer.place { last = (seconds, place) }
    guard hasError, let time = answer.cacheTime else {
      if !hasError { errorTime = nil }
      return false
    }
    guard let errorTime else {
      errorTime = time
      return false
    }
    guard time > errorTime + 0.5 else { return false }
    self.errorTime = nil
    return true
  }

  /// Whether the last packets before an end at `seconds` came from the end of a file of `size` bytes; nil if
  /// that is unknown.
  func isReadToEnd(at seconds: Double, size: Double?) -> Bool? {
    guard let last, let size, size > 0, last.seconds > 2 else { return nil }
    // Packets are decoded up to 0.7 s before they are heard, and an index may follow the last one.
    let ahead = max(0, seconds - last.seconds) + 0.7
    return last.place + ahead * last.place / last.seconds >= 0.85 * size
  }
}

/// mpv's answer about the position.
struct PositionAnswer: Equatable, Sendable {
  /// The position in seconds; nil if mpv reports none.
  var seconds: Double?
  /// The place in the file of the last packet that was decoded, in bytes; nil if it is unknown.
  var place: Double?
  /// The position in seconds up to which mpv has data; nil if it is unknown.
  var cacheTime: Double?
}
