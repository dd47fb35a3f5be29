import JSON
import Platform

/// The requests of a player that are more than one property.
extension MpvLink {
  /// Sets what mpv needs to know before it loads a medium.
  ///
  /// - Parameter seconds: Where it begins.
  func prepare(
    _ medium: Medium, at seconds: Double, isPaused: Bool, isStereo: Bool
  ) async throws(MpvFailure) {
    // A process that starts needs longer, above all on a slow disk.
    let limit = hasAnswered ? Duration.seconds(3) : FilmPlayer.patienceWhileOpening
    try await ask(["set_property", "pause", .bool(isPaused)], within: limit)
    try await setChannels(isStereo: isStereo)
    try await set("aid", "auto")
    try await set("vid", "auto")
    try await set("start", seconds > 0 ? .string("\(seconds)") : "none")
    try await set("end", "none")
    if let device = medium.device { try await set(device.property, .string(device.path)) }
  }

  /// Lets mpv load a medium, and returns mpv's number of it.
  ///
  /// - Parameter limit: The longest wait for the answer, which comes before the medium plays.
  func load(_ medium: Medium, within limit: Duration) async throws(MpvFailure) -> Int? {
    let answer = try await ask(["loadfile", .string(medium.address)], within: limit)
    return answer["playlist_entry_id"]?.integer
  }

  /// Sends two channels, or all that a medium has.
  func setChannels(isStereo: Bool) async throws(MpvFailure) {
    try await set("audio-channels", isStereo ? "stereo" : "auto")
  }

  /// Lets mpv play on an ALSA PCM, or on none if the name is empty.
  ///
  /// mpv falls back to its silent output where the PCM is busy, so it is tried again until `deadline`.
  /// - Returns: Whether it plays there.
  func connect(
    _ pcm: String, until deadline: Duration, on clock: any TheaterClock
  ) async throws(MpvFailure) -> Bool {
    while true {
      try await set("audio-device", .string(MpvOptions.audioDevice(pcm)))
      // mpv opens the output after the reply.
      for _ in 0..<20 {
        guard (try? await clock.sleep(until: clock.now() + .milliseconds(20))) != nil else {
          return false
        }
        let output = try await property("current-ao")?.string
        // A medium that has ended holds no PCM.
        if pcm.isEmpty ? output != "alsa" : output == "alsa" { return true }
      }
      guard clock.now() < deadline else { return false }
      try await set("audio-device", .string(MpvOptions.audioDevice("")))
    }
  }

  /// Whether the medium plays without an output, `current-ao` or `current-vo`.
  ///
  /// A medium that is over has no output either, and its reply may come before the event of its end.
  /// `eof-reached` is available only while a medium plays.
  func isWithout(_ output: String) async throws(MpvFailure) -> Bool {
    guard try await property(output) == nil else { return false }
    return try await property("eof-reached")?.bool == false
  }

  /// The position in seconds; nil where mpv does not tell one.
  func position() async -> Double? {
    let answer = try? await property("time-pos")
    return (answer ?? nil)?.number.flatMap(MediaFacts.seconds)
  }

  /// Asks for the events that a player acts on.
  func observe() async {
    _ = try? await ask(["request_log_messages", "error"])
    _ = try? await ask(["observe_property", 1, "paused-for-cache"])
    _ = try? await ask(["observe_property", 2, "chapter"])
    _ = try? await ask(["observe_property", 3, "current-ao"])
  }
}
