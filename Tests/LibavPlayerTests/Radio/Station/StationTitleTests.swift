import JSON
import MediaFolders
import Testing

@testable import LibavPlayer

@Suite("A station's titles")
struct StationTitleTests {
  @Test("Turns a station's title into one safe line of bounded length")
  func hostileTitles() {
    func title(_ text: String) -> String? {
      StationTitle.read(Array("StreamTitle='\(text)';StreamUrl='x';".utf8))
    }
    #expect(title("Don't Stop; 'Now'") == "Don't Stop; 'Now'")
    #expect(title("\u{202E}gnos\u{7}\nnext") == "gnos next")
    #expect(title("  ") == nil)
    let marks = title("a" + String(repeating: "\u{308}\u{323}", count: 900))
    #expect(marks?.isStreamSafe == true && marks?.unicodeScalars.first == "a")
    #expect((title(String(repeating: "é", count: 1_900))?.utf8.count ?? 0) <= MediaText.longestTag)
    #expect(StationTitle.read(Array("StreamTitle='Caf".utf8) + [0xE9] + Array("';".utf8)) == "Café")
    #expect(StationTitle.read(Array("StreamUrl='x';".utf8)) == nil)
  }
}
