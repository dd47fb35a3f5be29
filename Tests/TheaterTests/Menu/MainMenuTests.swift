import Devices
import JSON
import TheaterAPI
import Testing

@testable import theater

@Suite struct MainMenuTests {
  private static let lounge: JSON = [
    "name": "lounge", "title": "Lounge", "activity": ["status": "idle"],
  ]
  private static let kitchen: JSON = [
    "name": "kitchen", "title": "Kitchen", "activity": ["status": "idle"],
  ]

  /// The menu of a house with an activity of each kind.
  private static func menu(
    rooms: [JSON] = [lounge, kitchen], role: String = "member", permitted: Set<String>? = nil,
    hasSession: Bool = true
  ) -> MainMenu {
    let activities: [JSON] = [
      [
        "name": "cinema", "title": "Großes Kino\u{1B}", "start": "dark", "player": "disc",
        "room": "lounge",
      ],
      ["name": "gaming", "start": "play", "amplifier": "amp", "room": "lounge"],
      ["name": "slides", "start": "slides", "room": "lounge"],
      ["name": "tunes", "title": "Tunes", "start": "tunes", "player": "deck", "room": "kitchen"],
    ].map { (activity: JSONObject) in
      var activity = activity
      activity["permitted"] = .bool(
        permitted?.contains(activity["name"]?.string ?? "") ?? true)
      return .object(activity)
    }
    let answers = MainMenu.Answers(
      session: ["user": ["name": "Ann", "role": .string(role)]],
      status: [
        "rooms": .array(rooms),
        "devices": [
          ["id": "disc", "role": "dvdPlayer"], ["id": "deck", "role": "cdPlayer"],
        ],
      ],
      activities: ["activities": .array(activities)],
      scenes: [
        "scenes": [
          ["name": "dark", "parameters": ["movie": "film"]], ["name": "play", "parameters": [:]],
          ["name": "tunes", "parameters": ["loud": "number", "song": "song"]],
          ["name": "slides", "parameters": [:]],
          ["name": "popcorn", "title": "Popcorn for all", "parameters": [:]],
        ]
      ])
    return MainMenu(
      answers, hasSession: hasSession, StatusText(width: 80, hasColour: false), at: 0)
  }

  @Test("greets by name, and numbers what the person may begin in this theater")
  func entries() {
    let menu = Self.menu()
    #expect(
      menu.text == """
        Hello, Ann.
        Lounge: nothing is on.
        Kitchen: nothing is on.

          1  Großes Kino\\u001b  Lounge
          2  gaming             Lounge
          3  slides             Lounge
          4  Tunes              Kitchen
          5  Popcorn for all
          6  Log out
        """)
    #expect(
      menu.entries.map(\.action) == [
        .begin("cinema", MainMenu.ItemSource(category: .films, player: "disc")),
        .begin("gaming", nil), .begin("slides", nil),
        .begin("tunes", MainMenu.ItemSource(category: .songs, player: "deck")), .popcorn, .logOut,
      ])
  }

  @Test("a guest sees the activities of the pass and no popcorn, a token no logout")
  func guest() {
    let menu = Self.menu(role: "guest", permitted: ["tunes"], hasSession: false)
    #expect(menu.entries.map(\.title) == ["Tunes"])
    let member = Self.menu(permitted: [], hasSession: false)
    #expect(member.entries.map(\.title) == ["Popcorn for all"])
  }

  @Test("what is on has its controls, each for its room")
  func controls() {
    var film = Self.lounge.object ?? [:]
    film["activity"] = [
      "status": "running", "activity": "cinema", "title": "Großes Kino", "itemTitle": "Dunes",
      "player": "disc",
    ]
    film["playback"] = ["state": "playing", "position": 2590, "rate": 1, "duration": 6720]
    var song = Self.kitchen.object ?? [:]
    song["activity"] = ["status": "running", "scene": "own", "player": "deck"]
    song["playback"] = ["state": "paused", "position": 5, "rate": 0]
    let menu = Self.menu(rooms: [.object(film), .object(song)])
    #expect(menu.heading.contains("Lounge: Großes Kino: Dunes (running)"))
    #expect(menu.heading.contains { $0.contains("43:10 of 1:52:00, 1:08:50 left, playing") })
    let (lounge, kitchen) = (RoomPath(room: "lounge"), RoomPath(room: "kitchen"))
    #expect(
      menu.entries.prefix(8).map(\.action) == [
        .control(.pause, in: lounge), .end(lounge), .control(.resume, in: kitchen),
        .control(.next, in: kitchen), .control(.previous, in: kitchen),
        .control(.louder, in: kitchen), .control(.quieter, in: kitchen), .end(kitchen),
      ])
    #expect(menu.entries.prefix(3).map(\.room) == ["Lounge", "Lounge", "Kitchen"])
    #expect(lounge.path(.pause) == "/api/v1/rooms/lounge/pause")
  }

  @Test("an activity without a player can be stopped, and one that ends is left alone")
  func withoutPlayer() {
    func menu(_ status: String) -> [String] {
      var room = Self.lounge.object ?? [:]
      room["activity"] = ["status": .string(status), "activity": "gaming", "title": "Gaming"]
      return Self.menu(rooms: [.object(room)]).entries.map(\.title)
    }
    #expect(menu("running").prefix(4) == ["Louder", "Quieter", "Stop", "Großes Kino\\u001b"])
    #expect(menu("failed").first == "Louder")
    #expect(menu("ending").first == "Großes Kino\\u001b")
    // One room needs no name.
    #expect(RoomPath(room: nil).path(.end) == "/api/v1/end")
  }

  @Test("each control asks for what its entry says")
  func requests() {
    for control in PlaybackControl.allCases { #expect(!control.title.isEmpty) }
    #expect(PlaybackControl.louder.endpoint == .volume)
    #expect(PlaybackControl.louder.body == ["by": 5] && PlaybackControl.quieter.body == ["by": -5])
    #expect(PlaybackControl.pause.endpoint == .pause && PlaybackControl.pause.body == nil)
    #expect(
      PlaybackControl.quieter.done(["confirmation": "observed", "volume": 35]) == "volume 35 %")
  }
}

@Suite struct ItemMenuTests {
  private static func films(_ count: Int, player: String? = "disc") -> ItemMenu {
    var entries: [JSON] = (1...count).map { number in
      ["id": .string("f\(number)"), "title": .string("Film \(number)"), "players": ["disc"]]
    }
    entries.insert(["id": "x", "title": "Elsewhere", "players": ["ultra"]], at: 0)
    return ItemMenu(
      entries, MainMenu.ItemSource(category: .films, player: player), pageSize: 10)
  }

  @Test("a list shows the items that the player of the activity has, page by page")
  func pages() {
    var menu = Self.films(12)
    #expect(menu.text.hasPrefix("   1  Film 1\n") && !menu.text.contains("Elsewhere"))
    #expect(menu.text.hasSuffix("  10  Film 10\n  1 to 10 of 12"))
    #expect(menu.question.contains("Enter: more"))
    menu.turnPage()
    #expect(menu.text == "  11  Film 11\n  12  Film 12\n  11 to 12 of 12")
    menu.turnPage()
    #expect(menu.text.contains("Film 1\n"))
    #expect(Self.films(3, player: nil).text.hasPrefix("  1  Elsewhere\n"))
    #expect(!Self.films(3).question.contains("Enter"))
    let none = ItemMenu([], MainMenu.ItemSource(category: .songs, player: nil), pageSize: 10)
    #expect(none.text == "There are no songs here.")
  }

  @Test("the list of an activity shows where each item was stopped")
  func stopped() {
    let menu = ItemMenu(
      [["id": "a", "title": "A", "duration": 120, "position": 60], ["id": "b", "title": "B"]],
      MainMenu.ItemSource(category: .films, player: "disc"), pageSize: 10)
    #expect(menu.text == "  1  A    2:00  stopped at 1:00\n  2  B")
  }

  @Test("a typed line is a number, words, or the way back or out")
  func choices() {
    let menu = Self.films(12)
    #expect(menu.choice(" 2 ") == .item(["id": "f2", "title": "Film 2", "players": ["disc"]]))
    for line in ["0", "13", "-1", "99999999999"] {
      #expect(menu.choice(line) == .unknown || menu.choice(line) == .search(line))
    }
    #expect(menu.choice("") == .nextPage && Self.films(3).choice("") == .unknown)
    #expect(menu.choice("Q") == .leave && menu.choice("b") == .back)
    #expect(menu.choice("night ferry") == .search("night ferry"))
    #expect(menu.choice("/2001") == .search("2001") && menu.choice("/") == .search(""))
    #expect(menu.choice("98.5 FM") == .search("98.5 FM"))
    let radio = ItemMenu(
      [["id": "Jazz", "title": "Jazz"]],
      MainMenu.ItemSource(category: .stations, player: "tuner"), pageSize: 10)
    for frequency in ["98.5", "98,5 fm", "AM 810"] {
      #expect(radio.choice(frequency) == .frequency(frequency))
    }
    #expect(radio.choice("FM for all") == .search("FM for all"))
  }
}
