import Devices
import MediaNames
import Testing

@testable import HomeTheater

@Suite("Finding a film, song or station")
struct CatalogueTests {
  private func catalogue(_ titles: [String]) -> Catalogue {
    var catalogue = Catalogue(LibraryPlan())
    let items = titles.enumerated().map { CatalogueItem(id: "id\($0.offset)", title: $0.element) }
    catalogue.setItems(items, of: "cd", role: .cdPlayer)
    return catalogue
  }

  private func found(_ text: String, in titles: [String]) -> String? {
    try? catalogue(titles).find(text, in: .songs).item.title
  }

  @Test("E9 · finds words in title, artist and album, regardless of case and accents")
  func search() {
    var catalogue = Catalogue(LibraryPlan())
    catalogue.setItems(
      [
        CatalogueItem(id: "1", title: "Le Fabuleux Destin d'Ame\u{301}lie", artist: "Tiersen"),
        CatalogueItem(id: "2", title: "Щедрик", artist: "Леонтович", album: "Колядки"),
        CatalogueItem(id: "3", title: "Straße", artist: "Amelie"),
      ], of: "cd", role: .cdPlayer)
    func ids(_ text: String) -> [String] {
      catalogue.page(.songs, LibraryQuery(search: text), ageLimit: nil).entries.map(\.item.id)
        .sorted()
    }
    #expect(ids("AMÉLIE") == ["1", "3"])
    #expect(ids("amelie tier") == ["1"])
    #expect(ids("щедрик КОЛЯДКИ") == ["2"])
    #expect(ids("strasse") == ["3"])
    #expect(ids("destin amelie zzz").isEmpty)
    // A word does not continue in the next text.
    #expect(ids("amelietiersen").isEmpty)
    #expect(ids(" \n") == ["1", "2", "3"])
    #expect(ids("").count == 3)
  }

  @Test("E9 · a page has the entries from its offset on, and tells how many match")
  func page() {
    var catalogue = Catalogue(LibraryPlan())
    let songs = (100..<600).map { CatalogueItem(id: "\($0)", title: "Song number \($0)") }
    catalogue.setItems(songs, of: "cd", role: .cdPlayer)
    func page(_ search: String?, _ offset: Int, _ limit: Int?) -> [String] {
      let page = catalogue.page(
        .songs, LibraryQuery(search: search, offset: offset, limit: limit), ageLimit: nil)
      return page.entries.map(\.item.id) + ["of \(page.total)"]
    }
    #expect(page("number 40", 8, 2) == ["405", "406", "of 15"])
    #expect(page("number 40", 14, nil) == ["540", "of 15"])
    #expect(page("number 40", 15, 5) == ["of 15"])
    #expect(page(nil, 498, 200) == ["598", "599", "of 500"])
  }

  @Test(
    "a title is found whole or in part, in any case, composed or decomposed",
    arguments: [
      ("night ferry", "Night Ferry"), ("FERRY", "Night Ferry"), ("évening", "Une E\u{301}vening"),
      ("e\u{301}vening", "Une E\u{301}vening"), ("ÖL AUF", "Öl auf Leinwand"),
      ("o\u{308}l auf", "Öl auf Leinwand"), ("船", "夜の船"), ("👩‍👩‍👧", "Wir 👩‍👩‍👧"), ("e", nil),
      ("vening\u{301}", "Une E\u{301}vening"), ("evening", "Une E\u{301}vening"),
      ("ol auf", "Öl auf Leinwand"), ("nothing", nil), ("ferry to", nil),
    ])
  func titles(_ text: String, _ title: String?) {
    let titles = ["Night Ferry", "Une E\u{301}vening", "Öl auf Leinwand", "夜の船", "Wir 👩‍👩‍👧"]
    #expect(found(text, in: titles) == title)
  }

  @Test("E9 · accents, apostrophes and other punctuation need not be typed")
  func accents() {
    #expect(found("cafe", in: ["Cafe\u{301} am Meer"]) == "Cafe\u{301} am Meer")
    #expect(found("don't stop", in: ["Don’t Stop"]) == "Don’t Stop")
    #expect(found("dont stop", in: ["Don’t Stop"]) == "Don’t Stop")
    #expect(found("l’ete", in: ["L'Été"]) == "L'Été")
    #expect(found("acdc", in: ["AC/DC"]) == "AC/DC")
    #expect(found("???", in: ["???", "Who"]) == "???")
    // The title as it is typed goes before one that differs in its accents.
    #expect(found("resume", in: ["Résumé", "Resume"]) == "Resume")
  }

  @Test("E9 · asks which of two songs with the same title is meant, and finds it with its artist")
  func sameTitles() throws {
    var catalogue = Catalogue(LibraryPlan())
    catalogue.setItems(
      [
        CatalogueItem(id: "a/01.flac", title: "Intro", artist: "The xx", album: "xx"),
        CatalogueItem(id: "b/01.flac", title: "Intro", artist: "Alt-J", album: "Relaxer"),
        CatalogueItem(id: "c/01.flac", title: "Introduction"),
      ], of: "cd", role: .cdPlayer)
    do {
      _ = try catalogue.find("intro", in: .songs)
      Issue.record("two songs have that title")
    } catch {
      #expect(error.code == .invalid)
      #expect(error.message.contains("\"Intro\" (Alt-J, Relaxer)"))
      #expect(error.message.contains("\"Intro\" (The xx, xx)"))
      #expect(!error.message.contains("Introduction"))
    }
    #expect(try catalogue.find("intro alt-j", in: .songs).item.id == "b/01.flac")
    #expect(try catalogue.find("Intro xx", in: .songs).item.id == "a/01.flac")
    #expect(try catalogue.find("a/01.flac", in: .songs).item.artist == "The xx")
    #expect(!catalogue.namesOneEntry("intro", in: .songs, ageLimit: nil))
    #expect(catalogue.namesOneEntry("introduction", in: .songs, ageLimit: nil))
  }

  @Test(
    "E9 · finds a film by the name of its file, with and without its year",
    arguments: [
      "Night.Ferry.2019.1080p.BluRay.x264-GRP", "Night.Ferry.2019.1080p.BluRay.x264-GRP.mkv",
      "night ferry", "Night Ferry 2019", "night ferry (2019)", "Night.Ferry.720p.WEB-DL",
      "ferry",
    ])
  func releases(_ text: String) throws {
    var catalogue = Catalogue(LibraryPlan())
    let name = "Night.Ferry.2019.1080p.BluRay.x264-GRP"
    for title in ["Night Ferry (2019)", "A Title by Its Maker"] where text != "ferry" {
      catalogue.setItems(
        [
          CatalogueItem(id: "films/\(name)/\(name).mkv", title: title),
          CatalogueItem(id: "films/other.mkv", title: "Other"),
        ], of: "dvd", role: .dvdPlayer)
      #expect(try catalogue.find(text, in: .films).item.title == title)
    }
    catalogue.setItems(
      [
        CatalogueItem(id: "films/a.mkv", title: "Night Ferry (2019)"),
        CatalogueItem(id: "films/b.mkv", title: "Night Ferry (1954)"),
      ], of: "dvd", role: .dvdPlayer)
    let found = try? catalogue.find(text, in: .films).item.id
    #expect(found == (text.contains("2019") ? "films/a.mkv" : nil))
  }

  @Test("E9 · lists the discs of an album one after the other, and names as people sort them")
  func order() {
    var catalogue = Catalogue(LibraryPlan())
    func song(_ id: String, _ album: String?, _ track: Int?, _ disc: Int? = nil) -> CatalogueItem {
      CatalogueItem(id: id, title: "t", album: album, track: track, disc: disc)
    }
    let wanted = [
      song("m/x/Elan.flac", nil, nil), song("m/Éa/CD 1/01.flac", "Éa", 1),
      song("m/Éa/CD 1/02.flac", "Éa", 2), song("m/Éa/CD 2/01.flac", "Éa", 1),
      song("m/Éa/CD 10/01.flac", "Éa", 1), song("m/a/Hits/1.flac", "Hits", 1, 1),
      song("m/a/Hits/2.flac", "Hits", 1, 2), song("m/b/Hits/1.flac", "Hits", 1),
      song("m/b/Hits/2.flac", "Hits", 2), song("m/v/1.flac", "Volume 2", 1),
      song("m/w/1.flac", "Volume 10", 1),
    ]
    catalogue.setItems(wanted.reversed(), of: "cd", role: .cdPlayer)
    #expect(catalogue.entries(.songs).map(\.item.id) == wanted.map(\.id))
  }

  @Test("lists are in the order of the players in the file, films in the order of their player")
  func orderOfPlayers() {
    func items(_ titles: [String]) -> [CatalogueItem] {
      titles.map { CatalogueItem(id: $0, title: $0) }
    }
    var catalogue = Catalogue(LibraryPlan(), players: ["ultra", "bluray", "radio", "cd"])
    catalogue.setItems(items(["Dunes"]), of: "another", role: .dvdPlayer)
    catalogue.setItems(items(["Harbour Lights", "A Ferry"]), of: "bluray", role: .dvdPlayer)
    catalogue.setItems(items(["Zug", "Dawn"]), of: "ultra", role: .dvdPlayer)
    func films() -> [String] { catalogue.entries(.films).map(\.item.title) }
    #expect(films() == ["Zug", "Dawn", "Harbour Lights", "A Ferry", "Dunes"])
    catalogue.setItems(items(["a song"]), of: "attic", role: .cdPlayer)
    catalogue.setItems(items(["c", "b"]), of: "cd", role: .cdPlayer)
    #expect(catalogue.entries(.songs).map(\.item.title) == ["b", "c", "a song"])

    catalogue.replaceLibrary(LibraryPlan(), players: ["another", "ultra", "bluray", "cd"]) { _, _ in
      true
    }
    #expect(films() == ["Dunes", "Zug", "Dawn", "Harbour Lights", "A Ferry"])
  }

  @Test("does not search for a text longer than a title")
  func longTexts() {
    for text in [String(repeating: "a", count: 60_000), String(repeating: "é", count: 30_000)] {
      #expect(found(text, in: ["aaaa", "éééé"]) == nil)
      #expect(TitleSearch(text) == nil)
    }
    #expect(TitleSearch(String(repeating: "a", count: 1024)) != nil)
  }

  @Test("two files whose names differ in their bytes alone are two songs")
  func ids() throws {
    var catalogue = Catalogue(LibraryPlan())
    let names = ["caf\u{E9}.flac", "cafe\u{301}.flac"]
    catalogue.setItems(
      names.map { CatalogueItem(id: $0, title: "Title of \($0.utf8.count)") }, of: "cd",
      role: .cdPlayer)
    #expect(catalogue.entries(.songs).count == 2)
    for name in names {
      let title = "Title of \(name.utf8.count)"
      #expect(catalogue.entry(id: name)?.item.title == title)
      #expect(try catalogue.find(name, in: .songs).item.title == title)
    }
  }

  @Test("a spelling hint comes from a library of twenty thousand songs")
  func hint() {
    var titles = (0..<20_000).map { "Song number \($0)" }
    titles.append("Morning Stairs")
    do {
      _ = try catalogue(titles).find("Mornign Stiars", in: .songs)
      Issue.record("nothing has that title")
    } catch {
      #expect(error.hint == "Did you mean \"Morning Stairs\"?")
    }
  }
}
