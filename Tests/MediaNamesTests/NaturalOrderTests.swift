import Testing

@testable import MediaNames

@Suite("The order of names, and their comparison with typed texts")
struct NaturalOrderTests {
  @Test(
    "Names are in the order that people expect",
    arguments: [
      ("2", "10"), ("Track 9", "track 10"), ("a", "B"), ("01 a", "1 b"), ("a", "a1"), ("", "x"),
      ("99999999999999999999998", "99999999999999999999999"), ("ä1", "ä02"), ("a", "A1"),
      ("01a", "1a"), ("A", "a"), ("Ärger", "Banane"), ("Élan", "Elbow"), ("Eis", "Été"),
      ("ß", "st"), ("Øst", "Oz"), ("Łódź", "Lublin"), ("A-ha", "Abba"), ("Don’t", "Donut"),
      ("IV", "V"), ("Film", "Film 2"), ("a 2 b", "a 10 a"), ("z", "船"), ("œuf", "of"),
    ])
  func natural(first: String, second: String) {
    #expect(NaturalOrder.precedes(first, second))
    #expect(!NaturalOrder.precedes(second, first))
    #expect(!NaturalOrder.precedes(first, first))
  }

  @Test("Paths are ordered folder by folder")
  func paths() {
    let wanted = ["a.flac", "Album/1.flac", "Album/2.flac", "Album/10.flac", "Album 2/1.flac", "b"]
    #expect(wanted.reversed().sorted(by: NaturalOrder.precedes(path:_:)) == wanted)
    #expect(NaturalOrder.precedes(path: "CD 2/b", "CD 10/a"))
    #expect(NaturalOrder.precedes(path: "Été/x", "Film/a"))
  }

  @Test("the order is the same however the names came", arguments: [0, 1, 2])
  func total(seed: Int) {
    let names = ["a", "A", "á", "a\u{301}", "1", "01", "a-b", "a b", "ab", "", "-", "🎬", "2", "10"]
    let sorted = names.sorted(by: NaturalOrder.precedes(_:_:))
    let other = (names[seed...] + names[..<seed]).reversed().sorted(by: NaturalOrder.precedes(_:_:))
    #expect(sorted.map { Array($0.utf8) } == other.map { Array($0.utf8) })
  }

  @Test(
    "a title and what people type have the same key",
    arguments: [
      ("Don’t Stop", "don't stop"), ("Don’t Stop", "dont stop"), ("Amélie", "AMELIE"),
      ("Straße", "strasse"), ("Øresund", "oresund"), ("Łódź", "lodz"), ("Æon", "aeon"),
      ("Spider-Man", "spider man"), ("Mission: Impossible", "mission impossible"),
      ("Tom & Jerry", "Tom and Jerry"), ("Wie geht’s?", "wie gehts"), ("“Heroes”", "heroes"),
      ("Mötley Crüe", "motley crue"), ("Beyoncé", "beyonce"), ("Þór", "thor"),
      ("Sigur Rós – ( )", "sigur ros"), ("ｆｕｌｌ", "full"), ("Señorita", "senorita"),
      ("Ёлка", "елка"), ("İstanbul", "istanbul"), ("L'Été", "l’ete"), ("naïve", "naive"),
    ])
  func keys(title: String, typed: String) {
    #expect(title.titleKey == typed.titleKey)
  }

  @Test("titles of punctuation keep it, and numbers stay numbers")
  func punctuation() {
    #expect("???".titleKey == Array("???".utf8))
    #expect("".titleKey.isEmpty && " \n".titleKey.isEmpty)
    #expect("÷".titleKey != "×".titleKey)
    #expect("24K Magic".titleKey == Array("24k magic".utf8))
  }
}
