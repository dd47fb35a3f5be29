/// The choice of the sound and the subtitles of a film. A value without effects.
///
/// mpv compares codes of languages as texts, and does not tell the film's sound from a commentary.
struct TrackChoice: Equatable, Sendable {
  /// The preferred languages of the sound, and those of the subtitles, best first.
  var audioLanguages: [String] = []
  var subtitleLanguages: [String] = []
  /// Whether subtitles are shown. Without it, only those are that translate parts of the film in another language.
  var showsSubtitles = false

  /// Returns the sound track to play; nil for a film without sound.
  ///
  /// A commentary or an audio description is chosen only if there is nothing else.
  func sound(among tracks: [MediaFacts.Track]) -> MediaFacts.Track? {
    best(tracks.filter { $0.kind == "audio" }) { track in
      [
        track.isForSomeOnly ? 1 : 0, rank(of: track, in: audioLanguages), track.isDefault ? 0 : 1,
      ]
    }
  }

  /// Returns the subtitles to show; nil for none.
  ///
  /// - Parameter sound: The sound track that plays.
  func subtitles(
    among tracks: [MediaFacts.Track], sound: MediaFacts.Track?
  ) -> MediaFacts.Track? {
    let all = tracks.filter { $0.kind == "sub" }
    return showsSubtitles
      ? full(all) ?? forced(all, sound: sound) : forced(all, sound: sound)
  }

  /// The best subtitles of the whole film.
  private func full(_ tracks: [MediaFacts.Track]) -> MediaFacts.Track? {
    let languages = subtitleLanguages.isEmpty ? audioLanguages : subtitleLanguages
    let isStrict = !subtitleLanguages.isEmpty
    // With configured languages, a track in another language counts only if the file marks it as the default.
    let candidates = tracks.filter { track in
      !isStrict || rank(of: track, in: languages) < Self.noRank || track.isDefault
        || LanguageCodes.isUnknown(track.language)
    }
    return best(candidates) { track in
      [
        track.isCommentary ? 1 : 0, track.isForced ? 1 : 0, rank(of: track, in: languages),
        track.isForHearingImpaired ? 1 : 0, track.isDefault ? 0 : 1, track.isExternal ? 0 : 1,
      ]
    }
  }

  /// The subtitles that translate only the parts in another language: those in the language of the sound.
  private func forced(
    _ tracks: [MediaFacts.Track], sound: MediaFacts.Track?
  ) -> MediaFacts.Track? {
    let spoken = sound?.language.flatMap { LanguageCodes.isUnknown($0) ? nil : $0 }
    let languages = spoken.map { [$0] } ?? (subtitleLanguages + audioLanguages)
    let candidates = tracks.filter { track in
      track.isForced && !track.isCommentary
        && (languages.isEmpty || LanguageCodes.isUnknown(track.language)
          || rank(of: track, in: languages) < Self.noRank)
    }
    return best(candidates) { [rank(of: $0, in: languages), $0.isDefault ? 0 : 1] }
  }

  private static let noRank = 1000

  /// The place of a track's language among the preferred ones; the same code goes before another form of it.
  private func rank(of track: MediaFacts.Track, in languages: [String]) -> Int {
    guard let language = track.language, !languages.isEmpty else {
      return languages.isEmpty ? 0 : Self.noRank
    }
    let ranks = languages.enumerated().compactMap { index, wanted in
      LanguageCodes.distance(from: wanted, to: language).map { index * 3 + $0 }
    }
    return ranks.min() ?? Self.noRank
  }

  /// Returns the first of the tracks with the least values, compared one after the other.
  private func best(
    _ tracks: [MediaFacts.Track], by values: (MediaFacts.Track) -> [Int]
  ) -> MediaFacts.Track? {
    tracks.map { (values($0), $0) }.min { $0.0.lexicographicallyPrecedes($1.0) }?.1
  }
}

extension MediaFacts.Track {
  private static let commentaryWords = [
    "commentary", "commentaries", "kommentar", "audiokommentar", "commentaire", "commento",
    "comentario", "comentarios", "komentarz", "kommentarer",
  ]
  private static let descriptionWords = [
    "audio description", "audiodescription", "descriptive", "described", "description", "dvs",
    "audiodeskription", "hörfassung", "hörfilm", "audiodescripción", "audiodescrizione",
    "audiodescrição", "visually impaired", "visual impaired", "blind", "ljudtolkning",
    "synstolkning",
  ]
  private static let hearingWords = ["sdh", "cc", "hoh", "hearing impaired", "hörgeschädigte"]

  private func names(_ words: [String]) -> Bool {
    guard let title = title?.lowercased() else { return false }
    let parts = title.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    return words.contains { word in
      word.contains(" ") ? title.contains(word) : parts.contains(word)
    }
  }

  /// Whether the track is a commentary on the film.
  var isCommentary: Bool { names(Self.commentaryWords) }

  /// Whether the sound is not the film's own: a commentary, or a description for people who do not see it.
  var isForSomeOnly: Bool {
    isVisualImpaired || isCommentary || names(Self.descriptionWords) || names(["ad"])
  }

  /// Whether the subtitles describe sounds too.
  var isForHearingImpaired: Bool { isHearingImpaired || names(Self.hearingWords) }

  /// Whether the subtitles translate only parts of the film.
  var isForced: Bool { isForcedByFile || names(["forced", "foreign", "signs", "erzwungen"]) }
}
