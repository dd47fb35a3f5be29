/// The position of a source: the frames of one section that were heard, or passed unheard.
public struct CablePosition: Sendable, Equatable {
  /// The section, as `CableSource.setFormat` and `flush` returned it.
  public var section: UInt32
  /// Frames since the section began.
  public var frames: Int

  /// A position.
  public init(section: UInt32, frames: Int) {
    self.section = section
    self.frames = frames
  }
}

/// The sections of a source; maps byte positions of its queue to frames and times.
struct CableTimeline {
  struct Section {
    var id: UInt32
    var start: UInt64
    var format: CableFormat?
    /// Whether the first frame is the first of a recording.
    var startsRecording = false
    var ended = false
  }

  private(set) var sections = [Section(id: 0, start: 0, format: nil)]

  /// The section that is being written.
  var current: Section { sections[sections.count - 1] }

  /// Begins a section at `start` and returns its id.
  mutating func begin(
    at start: UInt64, _ format: CableFormat?, startsRecording: Bool = false
  ) -> UInt32 {
    let id = current.id &+ 1
    sections.append(
      Section(id: id, start: start, format: format, startsRecording: startsRecording))
    return id
  }

  /// Marks the current section as ended: it gets no more frames.
  mutating func end() { sections[sections.count - 1].ended = true }

  /// Removes the sections that end at or before `position`.
  mutating func forget(before position: UInt64) {
    while sections.count > 1, sections[1].start <= position { sections.removeFirst() }
  }

  /// The section that the byte at `position` belongs to and where it ends; `end` for the last.
  func section(at position: UInt64, end: UInt64) -> (section: Section, end: UInt64) {
    var index = sections.count - 1
    while index > 0, sections[index].start > position { index -= 1 }
    return (sections[index], index + 1 < sections.count ? sections[index + 1].start : end)
  }

  /// The frame at `position`.
  func frame(at position: UInt64) -> CablePosition {
    let section = section(at: position, end: position).section
    let bytes = position > section.start ? Int(position - section.start) : 0
    return CablePosition(
      section: section.id, frames: bytes / (section.format?.frameBytes ?? 1))
  }

  /// The first whole frame at or after `position`.
  func aligned(_ position: UInt64) -> UInt64 {
    let section = section(at: position, end: position).section
    guard let frame = section.format?.frameBytes, position > section.start else { return position }
    let rest = (position - section.start) % UInt64(frame)
    return rest == 0 ? position : position + UInt64(frame) - rest
  }

  /// The byte that is heard `nanoseconds` after the one at `position`, at most `end`.
  func advance(_ position: UInt64, by nanoseconds: Int64, end: UInt64) -> UInt64 {
    var position = position
    var left = nanoseconds
    while position < end, left > 0 {
      let (section, sectionEnd) = section(at: position, end: end)
      guard let format = section.format else { return position }
      let stop = min(sectionEnd, end)
      let whole = Int(stop - position) / format.frameBytes
      let frames = format.frames(inNanoseconds: left)
      if frames < whole || whole == 0 {
        return min(position + UInt64(frames * format.frameBytes), stop)
      }
      left -= format.nanoseconds(ofFrames: whole)
      position = stop
    }
    return position
  }

  /// The duration of the sound from `start` to `end`, nanoseconds.
  func duration(from start: UInt64, to end: UInt64) -> Int64 {
    var position = start
    var total: Int64 = 0
    while position < end {
      let (section, sectionEnd) = section(at: position, end: end)
      guard let format = section.format else { break }
      let stop = min(sectionEnd, end)
      guard stop > position else { break }
      total += format.nanoseconds(ofFrames: Int(stop - position) / format.frameBytes)
      position = stop
    }
    return total
  }
}
