import Devices
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
      ("vening\u{301}", nil), ("nothing", nil), ("ferry to", nil),
    ])
  func titles(_ text: String, _ title: String?) {
    let titles = ["Night Ferry", "Une E\u{301}vening", "Öl auf Leinwand", "夜の船", "Wir 👩‍👩‍👧"]
    #expect(found(text, in: titles) == title)
  }

  @Test("a letter without its accent does not find the letter with it")
  func accents() {
    #expect(found("cafe", in: ["Cafe\u{301} am Meer"]) == nil)
    #expect(found("cafe am", in: ["Cafe am Meer"]) == "Cafe am Meer")
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
