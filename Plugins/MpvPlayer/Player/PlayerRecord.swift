import Devices
import JSON
import Platform

/// The playback state of a player: its item, status and position.
struct PlayerRecord: Sendable {
  private(set) var status = Playback.Status.stopped
  var item: String?
  var facts = MediaFacts()
  var reason: String?
  /// Whether mpv waits for data while it plays; the status is then reported as `opening`.
  var isStalled = false
  /// A known position in seconds, and the time at which it was valid.
  private var anchor = (seconds: 0.0, at: Duration.zero)

  /// Sets the status and the position in seconds.
  mutating func setStatus(
    _ status: Playback.Status, at seconds: Double, now: Duration, reason: String? = nil
  ) {
    self.status = status
    self.reason = reason
    isStalled = false
    anchor = (max(0, seconds), now)
  }

  /// Sets the position in seconds that mpv has reported.
  mutating func setPosition(_ seconds: Double, now: Duration) { anchor = (max(0, seconds), now) }

  /// Returns the position in seconds at a time. It advances in real time while the player plays, up to the end of
  /// the medium.
  func position(at now: Duration) -> Double {
    let isMoving = status == .playing && !isStalled
    let seconds = anchor.seconds + (isMoving ? (now - anchor.at) / .seconds(1) : 0)
    return facts.duration.map { min($0, seconds) } ?? seconds
  }

  /// The end of the medium in seconds: its duration, or the present position if that is unknown.
  func end(at now: Duration) -> Double { facts.duration ?? position(at: now) }

  /// Resets the position at `now` to the last one that mpv has reported, because mpv has hung since then.
  mutating func resetToReportedPosition(now: Duration) { anchor.at = now }

  /// Returns the report for the controller.
  func playback(at now: Duration) -> Playback {
    Playback(
      isStalled && status == .playing ? .opening : status, item: item, position: position(at: now),
      duration: item == nil ? nil : facts.duration,
      reason: isStalled ? "waiting for the disk or the network" : reason)
  }
}

extension MediaFacts {
  /// The attributes of a loaded medium at a position.
  func attributes(at seconds: Double) -> [String: Attribute] {
    let picture = selected("video")
    let sound = selected("audio")
    let subtitles = selected("sub")
    var values: [String: Attribute] = [
      "title": Attribute(.string(title ?? ""), label: "Title"),
      "artist": Attribute(.string(artist ?? ""), label: "Artist"),
      "album": Attribute(.string(album ?? ""), label: "Album"),
      "track": Attribute(.integer(track ?? 0), label: "Number on the album"),
      "chapters": Attribute(.integer(chapters.count), label: "Chapters"),
      "videoCodec": Attribute(.string(picture?.codec ?? ""), label: "Picture"),
      "hardwareDecoder": Attribute(.string(hardwareDecoder ?? ""), label: "Decoded in hardware by"),
      "audioCodec": Attribute(.string(sound?.codec ?? ""), label: "Sound"),
      "audioChannels": Attribute(.integer(sound?.channels ?? 0), label: "Channels"),
      "audioLanguage": Attribute(.string(sound?.language ?? ""), label: "Language"),
      "subtitleLanguage": Attribute(.string(subtitles?.language ?? ""), label: "Subtitles"),
      "audioTracks": Attribute(
        .string(languages("audio")), label: "Languages"),
      "subtitleTracks": Attribute(.string(languages("sub")), label: "Subtitles on the disc"),
    ]
    let size = picture.flatMap { track in
      track.width.flatMap { width in track.height.map { "\(width)×\($0)" } }
    }
    values["resolution"] = Attribute(.string(size ?? ""), label: "Resolution")
    values.merge(progress(at: seconds)) { $1 }
    return values
  }

  /// The attributes that change while a medium plays: chapter, its title, and the time left in whole seconds.
  func progress(at seconds: Double) -> [String: Attribute] {
    let chapter = chapter(at: seconds)
    var values: [String: Attribute] = [
      "chapter": Attribute(.integer(chapter.map { $0 + 1 } ?? 0), label: "Chapter"),
      "chapterTitle": Attribute(
        .string(chapter.flatMap { chapters[$0].title } ?? ""), label: "Chapter title"),
    ]
    if let duration {
      let left = max(0, (duration - seconds).rounded())
      values["timeLeft"] = Attribute(.number(left), unit: "s", label: "Time left")
    }
    return values
  }

  private func languages(_ kind: String) -> String {
    tracks.filter { $0.kind == kind }.map { $0.language ?? "?" }.joined(separator: ", ")
  }
}
