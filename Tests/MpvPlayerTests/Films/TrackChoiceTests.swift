import Testing

@testable import MpvPlayer

@Suite("MpvPlayer: the choice of sound and subtitles")
struct TrackChoiceTests {
  private typealias Track = MediaFacts.Track

  /// Reads "de default Name": the language, its marks and the name of a track.
  private static func tracks(_ kind: String, _ texts: [String]) -> [MediaFacts.Track] {
    texts.enumerated().map { index, text in
      var words = text.split(separator: " ").map(String.init)
      let language = words.isEmpty ? "-" : words.removeFirst()
      func has(_ mark: String) -> Bool {
        guard let place = words.firstIndex(of: mark) else { return false }
        words.remove(at: place)
        return true
      }
      let marks = (has("default"), has("forced!"), has("hearing"), has("visual"), has("external"))
      return Track(
        id: index + 1, kind: kind, codec: "x", language: language == "-" ? nil : language,
        channels: nil, width: nil, height: nil, isCover: false, isSelected: false,
        title: words.isEmpty ? nil : words.joined(separator: " "), isDefault: marks.0,
        isForcedByFile: marks.1, isHearingImpaired: marks.2, isVisualImpaired: marks.3,
        isExternal: marks.4)
    }
  }

  @Test(
    "plays the film's sound in the preferred language, and no commentary or description by itself",
    arguments: [
      (["en"], [], 1), (["en", "de"], ["de"], 2), (["eng", "ger"], ["de"], 2),
      (["en default", "de"], [], 1), (["en", "de default"], [], 2), (["en", "fr"], ["de"], 1),
      (["en default Commentary", "en"], [], 2), (["en Director's Commentary", "en"], ["en"], 2),
      (["de default Audiodeskription", "de"], ["de"], 2), (["en Audio Description", "en"], [], 2),
      (["de Hörfilmfassung für Blinde", "de visual", "de"], ["de"], 1),
      (["en visual default", "en"], [], 2), (["en Descriptive", "de"], ["en"], 2),
      (["en Commentary"], [], 1), (["por", "en"], ["pt-BR"], 1),
      (["pt-PT", "pt-BR"], ["pt-BR"], 2),
      (["pt-PT", "por"], ["pt-BR"], 2), (["pt-BR"], ["pt"], 1), (["en", "nob"], ["no"], 2),
      (["en", "nor"], ["nb"], 2), (["nno", "nob"], ["nb"], 2), (["en", "chi"], ["zh-Hans"], 2),
      (["-", "en"], ["en"], 2), (["en", "-"], ["de"], 1), (["fr", "en", "de"], ["de", "en"], 3),
      (["en-US", "de"], ["en"], 1), (["en ad", "en"], [], 2), (["en Adventure mix", "en"], [], 1),
    ] as [([String], [String], Int)])
  func sound(tracks: [String], languages: [String], id: Int) {
    let choice = TrackChoice(audioLanguages: languages)
    #expect(choice.sound(among: Self.tracks("audio", tracks))?.id == id)
  }

  @Test(
    "shows the best subtitles, and without the option only those that translate parts",
    arguments: [
      (true, [], ["en", "de"], [], 1), (true, ["de"], ["en", "de"], [], 2),
      (true, [], ["en forced!", "en"], [], 2), (true, ["en"], ["en forced", "en"], [], 2),
      (true, [], ["en SDH", "en"], [], 2), (true, ["en"], ["en hearing", "en"], [], 2),
      (true, ["de"], ["en", "fr"], [], nil), (true, ["de"], ["en default", "fr"], [], 1),
      (true, ["de"], ["-"], [], 1), (true, [], [], [], nil), (true, [], ["-"], [], 1),
      (true, [], ["en", "de"], ["de"], 2), (true, [], ["en", "de default"], [], 2),
      (true, ["pt"], ["en", "pt-BR"], [], 2), (true, ["no"], ["en", "nob"], [], 2),
      (true, ["en"], ["en Commentary", "en"], [], 2), (true, ["de"], ["en forced!"], [], 1),
      (true, [], ["en", "en external"], [], 2), (true, [], ["en forced!"], [], 1),
      (false, [], ["en"], [], nil), (false, [], ["en default"], [], nil),
      (false, [], ["en", "en forced!"], [], 2), (false, [], ["de forced!"], [], nil),
      (false, [], ["en Forced"], [], 1), (false, [], ["- forced!"], [], 1),
      (false, [], ["en Signs & Songs"], [], 1),
      (false, ["de"], ["de forced!", "en forced!"], [], 2),
    ] as [(Bool, [String], [String], [String], Int?)])
  func subtitles(
    shows: Bool, languages: [String], tracks: [String], sound: [String], id: Int?
  ) {
    let choice = TrackChoice(
      audioLanguages: sound, subtitleLanguages: languages, showsSubtitles: shows)
    let spoken = Self.tracks("audio", ["en"]).first
    #expect(choice.subtitles(among: Self.tracks("sub", tracks), sound: spoken)?.id == id)
  }

  @Test(
    "reads the language in the name of a subtitle file",
    arguments: [
      ("2_English.srt", "en"), ("English.srt", "en"), ("Night Ferry.de.srt", "de"),
      ("Night Ferry.pt-BR.forced.srt", "pt-br"), ("Night.Ferry.2019.eng.srt", "eng"),
      ("de.srt", "de"), ("Night Ferry.srt", nil), ("It.Follows.srt", nil), ("3_Deutsch.srt", "de"),
      ("Night Ferry.German.SDH.srt", "de"), ("français.srt", nil),
    ])
  func names(name: String, code: String?) {
    let film =
      name.hasPrefix("Night Ferry") ? "Night Ferry" : name.hasPrefix("Night.") ? "Night.Ferry" : ""
    #expect(LanguageCodes.code(inFileName: name, of: film) == code)
  }

  @Test("a recording that states the time of its end has the duration from its beginning")
  func durations() {
    #expect(MediaFacts.duration(50_060, from: 50_000, format: "mkv") == 60)
    #expect(MediaFacts.duration(50_060, from: 50_000, format: "asf") == 60)
    #expect(MediaFacts.duration(60, from: 50_000, format: "mkv") == 60)
    #expect(MediaFacts.duration(60, from: 30, format: "mpegts") == 60)
    #expect(MediaFacts.duration(60, from: 0, format: "mkv") == 60)
    #expect(MediaFacts.duration(60, from: nil, format: nil) == 60)
    #expect(MediaFacts.duration(-1, from: nil, format: nil) == nil)
  }
}
