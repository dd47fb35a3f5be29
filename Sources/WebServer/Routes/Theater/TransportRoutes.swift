import Devices
import HomeTheater
import Hummingbird
import JSON

extension APIServices {
  /// Steering what plays.
  var transportRoutes: [Route] {
    [
      step("pause", "Holds the film or song still.") { try await $0.pause(by: $1) },
      step("resume", "Lets it go on.") { try await $0.resume(by: $1) },
      step("next", "Goes to the next track.") { try await $0.next(by: $1) },
      step("previous", "Goes to the track before.") { try await $0.previous(by: $1) },
      .post(
        "/api/v1/seek", by: .permitted(.play),
        "Goes to a place, in seconds: {\"to\": 750} or {\"by\": -30}."
      ) { call in
        let fields = try call.fields("to", "by")
        switch (try fields.number("to"), try fields.number("by")) {
        case (let place?, nil):
          return Self.done(
            try await theater.seek(place, isRelative: false, by: call.theaterPrincipal()))
        case (nil, let distance?):
          return Self.done(
            try await theater.seek(distance, isRelative: true, by: call.theaterPrincipal()))
        default:
          throw APIError.invalid("give either \"to\" or \"by\", in seconds")
        }
      },
      .post(
        "/api/v1/volume", by: .permitted(.play),
        "Sets the volume: {\"to\": 40}, {\"by\": -5} or {\"mute\": \"toggle\"}."
      ) { call in
        let outcome = try await theater.changeVolume(
          try Self.volumeChange(call), by: call.theaterPrincipal())
        var answer: JSONObject = ["confirmation": .string(outcome.confirmation.rawValue)]
        answer["volume"] = outcome.volume.map { .integer($0) }
        answer["muted"] = outcome.isMuted.map { .bool($0) }
        return Response(.object(answer))
      },
    ]
  }

  private func step(
    _ word: String, _ help: String,
    _ step: @escaping @Sendable (HomeTheaterFacade, Principal) async throws -> Confirmation
  ) -> Route {
    .post("/api/v1/\(word)", by: .permitted(.play), help) { call in
      _ = try call.fields()
      return Self.done(try await step(theater, call.theaterPrincipal()))
    }
  }

  private static func volumeChange(_ call: RequestContext) throws(APIError)
    -> VolumeChange
  {
    let fields = try call.fields("to", "by", "mute")
    switch (try fields.integer("to"), try fields.integer("by"), fields["mute"]) {
    case (let volume?, nil, nil):
      guard (0...100).contains(volume) else {
        throw .invalid("\"to\" is \(volume), expected 0 to 100")
      }
      return .to(volume)
    case (nil, let points?, nil):
      guard (-100...100).contains(points) else {
        throw .invalid("\"by\" is \(points), expected -100 to 100")
      }
      return .by(points)
    case (nil, nil, .bool(let isMuted)?): return isMuted ? .mute : .unmute
    case (nil, nil, .string("toggle")?): return .toggleMute
    default:
      throw .invalid(
        "give one of \"to\", \"by\" and \"mute\"",
        hint: "{\"to\": 40}, {\"by\": -5}, {\"mute\": true}, {\"mute\": \"toggle\"}.")
    }
  }

  /// What is done, and how that is known: `observed` or only `accepted`.
  static func done(_ confirmation: Confirmation) -> Response {
    Response(["confirmation": .string(confirmation.rawValue)])
  }
}
