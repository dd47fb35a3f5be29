import Devices
import JSON
import Scenes
import TestSupport
import Testing

@testable import HomeTheater

/// A title above a person's age limit is answered like one that does not exist.
@Suite struct HiddenTitleTests {
  private static let child = Principal("kim", ageLimit: 12)
  private static let music = Principal(
    "guest", permissions: Set(Permission.allCases), activities: ["music"])

  /// The rated films, with scenes that name films in several ways. "The Short Cut" is rated 16.
  private static let plan: TheaterPlan = {
    var plan = TheaterPlan.rated
    plan.scenes["beside"] = Scene(
      name: "beside", parameters: ["film": .film],
      steps: [TheaterPlan.step("dvd", .dvdPlayer, ["play": ["item": "$film"]])])
    plan.scenes["text"] = Scene(
      name: "text", parameters: ["film": .text],
      steps: [TheaterPlan.step("dvd", .dvdPlayer, ["play": ["item": "$film"]])])
    for (name, film) in [("hidden", "f2"), ("unknown", "f9")] {
      plan.scenes[name] = Scene(
        name: name, steps: [TheaterPlan.step("dvd", .dvdPlayer, ["play": ["item": .string(film)]])]
      )
    }
    return plan
  }()

  /// The refusals of every operation that takes the name of a film.
  private static func refusals(
    of name: String, in theater: Theater, by principal: Principal
  ) async -> [String: TheaterError?] {
    let facade = theater.facade
    var refusals: [String: TheaterError?] = [:]
    refusals["activity"] = await refusal { () async throws(TheaterError) in
      try await facade.begin("film", item: name, fromStart: false, by: principal)
    }
    refusals["category"] = await refusal { () async throws(TheaterError) in
      try await facade.begin(.films, item: name, fromStart: false, by: principal)
    }
    for scene in ["watch-film", "beside", "text"] {
      refusals["scene \(scene)"] = await refusal { () async throws(TheaterError) in
        try await facade.runScene(scene, arguments: ["film": name], by: principal)
      }
      refusals["plan \(scene)"] = await refusal { () async throws(TheaterError) in
        try await facade.planScene(scene, arguments: ["film": name], by: principal)
      }
    }
    refusals["command"] = await refusal { () async throws(TheaterError) in
      try await facade.perform(
        ["play": ["item": .string(name)]], on: "dvd", until: .accepted, by: principal)
    }
    refusals["picture"] = await refusal { () async throws(TheaterError) in
      try await facade.picture(of: name, for: principal)
    }
    do throws(DeviceError) {
      try await facade.session(for: principal).dvd.play(name)
      refusals["device"] = .some(nil)
    } catch {
      refusals["device"] = TheaterError(error, device: "dvd")
    }
    return refusals
  }

  /// The refusals without the name that was typed.
  private static func texts(_ refusals: [String: TheaterError?], of name: String) -> [String:
    String]
  {
    refusals.mapValues { error in
      guard let error else { return "accepted" }
      return "\(error.code) \(error.message) \(error.hint ?? "")".replacing(name, with: "NAME")
    }
  }

  @Test(
    "a title above the age limit is refused like one that does not exist, whichever way",
    arguments: [
      ("f2", "f8"), ("The Short Cut", "The Short Cub"), ("THE SHORT CUT", "THE SHORT CUB"),
    ])
  func alike(hidden: String, unknown: String) async throws {
    try await Theater(plan: Self.plan).live { theater in
      let first = await Self.refusals(of: hidden, in: theater, by: Self.child)
      let second = await Self.refusals(of: unknown, in: theater, by: Self.child)
      let texts = (Self.texts(first, of: hidden), Self.texts(second, of: unknown))
      #expect(texts.0 == texts.1)
      for (way, error) in first {
        let isNamed = !way.hasSuffix("text") && way != "device"
        #expect(
          error?.code == (isNamed ? .notFound : way == "device" ? .deviceFailed : .forbidden),
          "\(way): \(String(describing: error))")
      }
      let commands = theater.journal.lines.filter { !$0.contains(" plug ") }
      #expect(commands.isEmpty)
    }
  }

  @Test("a misspelt title above the age limit is not suggested")
  func suggestions() async throws {
    try await Theater(plan: Self.plan).live { theater in
      for name in ["The Short Cot", "Short Cut", "The Short"] {
        for (way, error) in await Self.refusals(of: name, in: theater, by: Self.child) {
          // "The Short" names a film that children may see; a scene takes any text for a parameter that is no film.
          let mustFail = name != "The Short" && !way.hasSuffix("text")
          #expect(!mustFail || error != nil, "\(name), \(way)")
          #expect(error?.hint?.contains("Cut") != true, "\(name): \(String(describing: error))")
          #expect(error?.message.contains("The Short Cut") != true)
        }
      }
    }
  }

  @Test("a scene with a fixed film does not tell whether it is rated or missing")
  func fixedScenes() async throws {
    try await Theater(plan: Self.plan).live { theater in
      var refusals: [TheaterError?] = []
      for name in ["hidden", "unknown"] {
        refusals.append(
          await refusal { () async throws(TheaterError) in
            try await theater.facade.runScene(name, arguments: [:], by: Self.child)
          })
      }
      #expect(refusals[0] == refusals[1])
      #expect(refusals[0]?.code == .forbidden)
    }
  }

  @Test("who names the film that plays learns why it is refused: the status shows it")
  func current() async throws {
    try await Theater(plan: Self.plan).live { theater in
      let facade = theater.facade
      let begun = try await facade.begin("film", item: "f2", fromStart: false, user: "ann")
      #expect(await begun.run.finished().status == .done)
      #expect(
        await eventually { await facade.snapshot(of: "dvd")?.state.playback?.item == "f2" })
      for name in ["f2", "The Short Cut"] {
        let refused = await refusal { () async throws(TheaterError) in
          try await facade.begin("film", item: name, fromStart: false, by: Self.child)
        }
        #expect(refused?.code == .forbidden)
        #expect(refused?.message == "\"The Short Cut\" is rated 16, and you may watch up to 12")
      }
      let command = await refusal { () async throws(TheaterError) in
        try await facade.perform(
          ["play": ["item": "f2"]], on: "dvd", until: .accepted, by: Self.child)
      }
      #expect(command?.code == .forbidden)
    }
  }

  @Test("a guest for music learns no films from the arguments of scenes")
  func otherCategories() async throws {
    try await Theater(plan: Self.plan).live { theater in
      var texts: [[String: String]] = []
      for name in ["f1", "f9"] {
        var refusals: [String: TheaterError?] = [:]
        for scene in ["watch-film", "beside"] {
          refusals[scene] = await refusal { () async throws(TheaterError) in
            try await theater.facade.runScene(scene, arguments: ["film": name], by: Self.music)
          }
          refusals["plan \(scene)"] = await refusal { () async throws(TheaterError) in
            try await theater.facade.planScene(scene, arguments: ["film": name], by: Self.music)
          }
        }
        texts.append(Self.texts(refusals, of: name))
      }
      #expect(texts[0] == texts[1])
      #expect(texts[0].values.allSatisfy { $0.hasPrefix("forbidden") })
    }
  }
}
