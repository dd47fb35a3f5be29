import JSON
import Platform

/// The requests of a player that take more than one command or property.
extension MpvLink {
  /// Returns the properties that mpv needs before it loads a medium, in the order in which they are set.
  ///
  /// - Parameters:
  ///   - showsFilms: Whether the media are films, which may have subtitles.
  ///   - lentPCM: The PCM that the amplifier lends; empty for none, nil for a player that borrows none.
  func properties(
    for start: FilmModel.Start, isStereo: Bool, showsFilms: Bool, lentPCM: String?
  ) -> [(name: String, value: JSON)] {
    var list: [(String, JSON)] = [
      ("pause", .bool(start.isPaused)),
      ("audio-channels", isStereo ? "stereo" : "auto"),
      ("aid", "auto"), ("vid", "auto"),
      ("start", start.seconds > 0 ? .string("\(start.seconds)") : "none"), ("end", "none"),
    ]
    if showsFilms {
      // The tracks are chosen when mpv has read them (`TrackChoice`).
      list += [
        ("sid", "no"), ("sub-auto", start.medium.hasForeignSubtitles ? "no" : "exact"),
        ("sub-files", .array(start.medium.subtitles.map { .string($0) })),
      ]
    }
    if let device = start.medium.device { list.append((device.property, .string(device.path))) }
    if let lentPCM { list.append(("audio-device", .string(MpvOptions.audioDevice(lentPCM)))) }
    return list
  }

  /// Loads a medium, and returns mpv's number of it (`playlist_entry_id`).
  ///
  /// - Parameter limit: The longest wait for the answer, which comes before the medium plays.
  func load(_ medium: Medium, within limit: Duration) async throws(MpvFailure) -> Int? {
    let command: JSON =
      if let options = medium.options {
        ["name": "loadfile", "url": .string(medium.address), "options": options]
      } else {
        ["loadfile", .string(medium.address)]
      }
    let answer = try await ask(command: command, within: limit)
    return answer["playlist_entry_id"]?.integer
  }

  /// Chooses the sound track and the subtitles of the loaded film, and returns the facts with them.
  func selectTracks(
    of facts: MediaFacts, by choice: TrackChoice
  ) async throws(MpvFailure) -> MediaFacts {
    let sound = choice.sound(among: facts.tracks)
    let subtitles = choice.subtitles(among: facts.tracks, sound: sound)
    if let sound, !sound.isSelected { try await set("aid", .integer(sound.id)) }
    if facts.selected("sub")?.id != subtitles?.id {
      try await set("sid", subtitles.map { .integer($0.id) } ?? "no")
    }
    var chosen = facts
    chosen.select(sound: sound, subtitles: subtitles)
    return chosen
  }

  /// Makes mpv stop its medium, and waits until it has left it, at most for `limit`. Returns whether it has.
  ///
  /// mpv answers before it leaves the medium. To close a file on a dead disk or share, it then waits for that, and
  /// opens no other medium.
  func stop(within limit: Duration, on clock: any TheaterClock) async -> Bool {
    let deadline = clock.now() + limit
    guard (try? await ask(["stop"], within: limit)) != nil else { return false }
    while true {
      let rest = deadline - clock.now()
      guard rest > .zero else { return false }
      do throws(MpvFailure) {
        // Available until mpv has closed the medium. `idle-active` is true at once.
        if try await ask(["get_property", "path"], within: rest) == .null { return true }
      } catch {
        if case .refused = error { return true }
        return false
      }
      guard (try? await clock.sleep(until: clock.now() + .milliseconds(20))) != nil else {
        return false
      }
    }
  }

  /// Sets whether mpv mixes the sound to two channels, or plays all channels of the medium.
  func setChannels(isStereo: Bool) async throws(MpvFailure) {
    try await set("audio-channels", isStereo ? "stereo" : "auto")
  }

  /// Makes mpv play on an ALSA PCM, or on its silent output if the name is empty.
  ///
  /// If the PCM is busy, mpv falls back to its silent output. So the PCM is tried again until `deadline`.
  /// - Returns: Whether mpv plays on the PCM, or with an empty name on none. Also true for a medium without sound, for
  ///   which mpv opens no output.
  func switchOutput(
    toPCM pcm: String, until deadline: Duration, on clock: any TheaterClock
  ) async throws(MpvFailure) -> Bool {
    while true {
      try await set("audio-device", .string(MpvOptions.audioDevice(pcm)))
      // mpv opens the output only after its reply.
      for _ in 0..<20 {
        guard (try? await clock.sleep(until: clock.now() + .milliseconds(20))) != nil else {
          return false
        }
        let output = try await property("current-ao")?.string
        // Without an output, such as after the end of the medium, mpv holds no PCM either.
        if pcm.isEmpty ? output != "alsa" : output == "alsa" { return true }
        if output == nil, try await hasNoSoundTrack() { return true }
      }
      guard clock.now() < deadline else { return false }
      try await set("audio-device", .string(MpvOptions.audioDevice("")))
    }
  }

  /// Returns whether the loaded medium plays no sound track. Before mpv has chosen the tracks, and without a medium,
  /// `aid` is "auto".
  private func hasNoSoundTrack() async throws(MpvFailure) -> Bool {
    try await property("aid")?.bool == false
  }

  /// Returns whether a medium plays without the output `current-ao` or `current-vo`.
  ///
  /// After the end of the medium there is no output either, and this reply may come before the event of the end. So
  /// the property `eof-reached` is read too: it is available only while a medium plays.
  func isWithout(_ output: String) async throws(MpvFailure) -> Bool {
    guard try await property(output) == nil else { return false }
    return try await property("eof-reached")?.bool == false
  }

  /// Returns the position in seconds; nil if mpv does not report one.
  func position() async -> Double? {
    let answer = try? await property("time-pos")
    return (answer ?? nil)?.number.flatMap(MediaFacts.seconds)
  }

  /// Returns the position, and how far mpv has read.
  ///
  /// Asks a second time after half of the limit. If the whole machine was suspended for a moment, the time of the first
  /// request is over before its answer could be read.
  func position(within limit: Duration) async throws(MpvFailure) -> PositionAnswer {
    var position = PositionAnswer()
    for isLast in [false, true] {
      do throws(MpvFailure) {
        let answer = try await ask(["get_property", "time-pos"], within: limit / 2)
        position.seconds = answer.number.flatMap(MediaFacts.seconds)
        break
      } catch {
        if case .refused = error { break }
        if error != .timeout || isLast { throw error }
      }
    }
    position.place = try await property("stream-pos")?.number.flatMap { $0 >= 0 ? $0 : nil }
    position.cacheTime = try await property("demuxer-cache-time")?.number
    return position
  }

  /// Asks mpv to send the log lines and property changes that the player handles.
  func observe() async {
    _ = try? await ask(["request_log_messages", "error"])
    _ = try? await ask(["observe_property", 1, "paused-for-cache"])
    _ = try? await ask(["observe_property", 2, "chapter"])
    _ = try? await ask(["observe_property", 3, "current-ao"])
    _ = try? await ask(["observe_property", 4, "current-vo"])
  }
}
