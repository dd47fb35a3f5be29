import ArgumentParser
import Devices
import JSON
import Testing

@testable import theater

@Suite struct ResumingTests {
  private static let films: [JSON] = [
    ["id": "ferry", "title": "Night Ferry", "players": ["dvd"], "duration": 6720],
    [
      "id": "hall", "title": "The Long Hall", "players": ["dvd"], "duration": 6720,
      "position": 2590,
    ],
  ]

  @Test("lists show where an item was stopped, and have no such column without one")
  func lists() {
    #expect(
      LibraryText.text(Self.films, list: "films") == """
        Night Ferry      1:52:00                    dvd
        The Long Hall    1:52:00  stopped at 43:10  dvd
        """)
    #expect(
      LibraryText.text([Self.films[0]], list: "films") == "Night Ferry    1:52:00  dvd")
  }

  @Test(
    "a start takes --resume or --from-start, and neither asks",
    arguments: [
      ([], nil), (["--resume"], .saved), (["--from-start"], .beginning),
    ] as [([String], StartPosition?)])
  func options(words: [String], start: StartPosition?) throws {
    let watch = try #require(try Theater.parseAsRoot(["watch", "x"] + words) as? Watch)
    #expect(watch.options.resuming.start == start)
    let listen = try #require(try Theater.parseAsRoot(["listen", "x"] + words) as? Listen)
    #expect(listen.options.resuming.start == start)
    let scene = ["scene", "run", "night", "--film", "x"] + words
    let run = try #require(try Theater.parseAsRoot(scene) as? SceneCommand.Run)
    #expect(run.resuming.start == start && run.parameters == ["--film", "x"])
    let plan = try #require(
      try Theater.parseAsRoot(["scene", "plan"] + scene.dropFirst(2)) as? SceneCommand.Plan)
    #expect(plan.resuming.start == start)
  }

  @Test(
    "refuses --resume together with --from-start",
    arguments: [["watch", "x"], ["listen", "x"], ["scene", "run", "x"], ["scene", "plan", "x"]])
  func bothOptions(words: [String]) throws {
    let error = #expect(throws: (any Error).self) {
      try Theater.parseAsRoot(words + ["--resume", "--from-start"])
    }
    let text = error.map { Theater.fullMessage(for: $0) } ?? ""
    #expect(text.contains("Give either --resume or --from-start, not both."), "\(text)")
  }

  @Test("a parameter with the name of an option goes into --set")
  func parameterNames() {
    #expect(SceneParameters.usage(of: "resume", "TEXT") == "--set resume=TEXT")
    #expect(SceneParameters.usage(of: "from-start", "TEXT") == "--set from-start=TEXT")
  }

  @Test("the question names the item and the place, and Enter resumes")
  func question() throws {
    let stopped = try #require(StoppedItem(entry: Self.films[1]))
    #expect(
      ResumeQuestion(stopped).sentence == "You stopped The Long Hall at 43:10 of 1:52:00.")
    #expect(StoppedItem(entry: Self.films[0]) == nil)
    let scene = try #require(StoppedItem(plan: ["scene": "night", "resumedAt": 75.4]))
    #expect(ResumeQuestion(scene).sentence == "You stopped it at 1:15.")
    #expect(StoppedItem(plan: ["scene": "night"]) == nil)
    for answer in ["", " ", "r", "Resume "] { #expect(ResumeQuestion.start(answer) == .saved) }
    for answer in ["s", " S", "start"] { #expect(ResumeQuestion.start(answer) == .beginning) }
    for answer in ["x", "0", "resume at", "ss"] { #expect(ResumeQuestion.start(answer) == nil) }
  }

  @Test("a typed title means the entry that the controller would start")
  func titles() {
    let entries: [JSON] = [
      ["id": "a", "title": "Alien"], ["id": "b", "title": "Aliens", "position": 600],
      ["id": "c", "title": "Big Night", "position": 60],
      ["id": "d", "title": "Long Night", "position": 90],
    ]
    let lookup = TitleLookup(entries, .films)
    // The whole title goes before a part of another one.
    #expect(lookup.entry("alien")?["id"] == "a")
    #expect(lookup.entry("ALIENS")?["id"] == "b")
    #expect(lookup.entry("d")?["title"] == "Long Night")
    #expect(lookup.entry("big")?["id"] == "c")
    #expect(lookup.entry("night") == nil && lookup.mayMean("night"))
    #expect(lookup.entry("Metropolis") == nil && !lookup.mayMean("Metropolis"))
  }

  @Test("the request says where the item begins")
  func body() throws {
    #expect(
      StartOptions.body("Night Ferry", .saved) == ["fromStart": false, "item": "Night Ferry"])
    #expect(StartOptions.body(nil, .beginning) == ["fromStart": true])
    let parameters = try SceneParameters(words: ["--film", "x"])
    #expect(parameters.body(.beginning) == ["parameters": ["film": "x"], "fromStart": true])
  }
}
