/// The words with which makers of files describe picture, sound, source and edition: "1080p", "BluRay", "x264".
enum ReleaseWords {
  /// Words that are no part of a title.
  private static let certain: Set<String> = [
    "bluray", "bdrip", "brrip", "bdremux", "bd25", "bd50", "remux", "dvdrip", "dvdscr", "dvd5",
    "dvd9", "dvdr", "webrip", "webdl", "webhd", "webdlrip", "hdtv", "pdtv", "sdtv", "hdrip",
    "hdtvrip", "dvbrip", "dvb", "tvrip", "satrip", "dsrip", "hdcam", "hdts", "telesync",
    "telecine", "camrip", "vhsrip", "ppvrip", "uhdrip", "hddvd", "hddvdrip", "laserdisc",
    "microhd", "uhd", "x264", "x265", "x266", "h264", "h265", "h266", "hevc", "xvid", "divx",
    "av1", "avc", "vc1", "vp9", "mpeg2", "mpeg4", "10bit", "8bit", "12bit", "10bits", "hi10p",
    "hdr10", "hdr10+", "hdr10plus", "truehd", "atmos", "eac3", "eac3d", "ddp", "ddpa", "dd+",
    "ac3", "ac3d", "dtshd", "dtsx", "dtsma", "aac", "vostfr", "truefrench", "subfrench",
  ]
  /// Words that may be in a title, but not after its year, and not in brackets.
  private static let possible: Set<String> = [
    "dvd", "dts", "flac", "mp3", "opus", "hdr", "sdr", "dv", "dovi", "dolby", "vision", "4k", "8k",
    "3d", "hsbs", "sbs", "hou", "half", "ou", "cam", "ts", "tc", "scr", "r5", "hd", "sd", "fhd",
    "hq", "web", "dl", "ray", "blu", "rip", "amzn", "nf", "dsnp", "hmax", "max", "atvp", "hulu",
    "itunes", "extended", "unrated", "uncut", "uncensored", "remastered", "restored", "proper",
    "repack", "rerip", "internal", "limited", "directors", "director", "dc", "cut", "theatrical",
    "imax", "criterion", "hybrid", "festival", "retail", "complete", "edition", "special", "final",
    "anniversary", "ultimate", "collectors", "version", "colorized", "dubbed", "subbed", "subs",
    "sub", "multi", "dual", "audio", "ml", "line", "md", "ld", "vff", "vfq", "vf", "vo", "vost",
    "german", "deutsch", "english", "french", "italian", "spanish", "latino", "castellano", "dutch",
    "nordic", "swedish", "norwegian", "danish", "finnish", "polish", "russian", "japanese",
    "korean", "chinese", "hindi", "turkish", "portuguese", "ita", "eng", "ger", "deu", "fre", "fra",
    "esp", "spa", "por", "rus", "jpn", "kor", "chi", "nld", "pol", "swe", "rarbg", "yts", "yify",
    "eztv", "ettv", "mx", "am", "lt", "ag", "to", "mp4", "mkv", "avi", "complete",
  ]
  /// Words that describe the file if they stand directly before a certain one: "Night.Ferry.EXTENDED.1080p".
  private static let beforeCertain: Set<String> = [
    "extended", "unrated", "uncut", "remastered", "repack", "proper", "rerip", "internal", "multi",
    "dual", "dl", "dubbed", "subbed", "imax", "hdr", "4k", "3d", "amzn", "dsnp", "hmax", "atvp",
    "dts", "hybrid", "hsbs", "sbs", "hou",
  ]
  /// The same, in capitals only: "WEB", but not "Charlotte's Web".
  private static let capitalsBeforeCertain: Set<String> = [
    "WEB", "NF", "DVD", "CAM", "TS", "TC", "DC", "DV", "HD", "SD", "LIMITED", "COMPLETE",
    "THEATRICAL", "GERMAN", "ENGLISH", "FRENCH", "ITALIAN", "SPANISH", "RETAIL", "CRITERION",
  ]

  /// Whether a word is certainly no part of a title: "1080p", "x264-GRP", "AAC2.0".
  static func isCertain(_ word: String) -> Bool {
    let word = plain(word)
    if isCertainPlain(word) { return true }
    // The group that made the file stands behind the last word.
    guard let hyphen = word.firstIndex(of: "-") else { return false }
    return isCertainPlain(String(word[..<hyphen])) || isCertainPlain(word.replacing("-", with: ""))
  }

  /// Whether a word may describe the file.
  static func isPossible(_ word: String) -> Bool {
    let word = plain(word)
    if word.isEmpty || isCertain(word) || possible.contains(word) || isChannels(word) {
      return true
    }
    let parts = word.split { "-.+".contains($0) }.map(String.init)
    return parts.count > 1 && parts.allSatisfy { isCertainPlain($0) || possible.contains($0) }
  }

  /// Whether a word describes the file where it stands directly before a certain one.
  static func isDescription(_ word: String) -> Bool {
    beforeCertain.contains(plain(word)) || capitalsBeforeCertain.contains(word)
  }

  private static func isCertainPlain(_ word: String) -> Bool {
    certain.contains(word) || isResolution(word) || isSound(word)
  }

  /// The word in lower case, without punctuation at its ends, dots and apostrophes: "H.264" becomes "h264".
  private static func plain(_ word: String) -> String {
    let marks: Set<Character> = [
      "-", "_", ".", ",", "!", "[", "]", "(", ")", "{", "}", " ", "'", "’",
    ]
    let bare = word.lowercased().drop { marks.contains($0) }.reversed().drop { marks.contains($0) }
    let text = String(bare.reversed()).replacing("'", with: "").replacing("’", with: "")
    return isChannels(text) ? text : text.replacing(".", with: "")
  }

  /// "1080p", "576i", "1920x1080".
  private static func isResolution(_ word: String) -> Bool {
    if word.count < 4 { return false }
    if let last = word.last, last == "p" || last == "i" {
      let digits = word.dropLast()
      return (3...4).contains(digits.count) && digits.allSatisfy(isDigit)
    }
    let sides = word.split(separator: "x", omittingEmptySubsequences: false)
    return sides.count == 2
      && sides.allSatisfy { (3...4).contains($0.count) && $0.allSatisfy(isDigit) }
  }

  /// "aac20", "ddp51", "dts51": a codec and its channels.
  private static func isSound(_ word: String) -> Bool {
    for codec in [
      "aac", "ddp", "dd+", "dd", "dts", "ac3", "eac3", "flac", "truehd", "opus", "lpcm",
    ]
    where word.hasPrefix(codec) && word.count == codec.count + 2 {
      return ["10", "20", "21", "51", "61", "71"].contains(String(word.suffix(2)))
    }
    return false
  }

  /// "5.1", "7.1", "6ch".
  private static func isChannels(_ word: String) -> Bool {
    ["1.0", "2.0", "2.1", "5.1", "6.1", "7.1", "2ch", "6ch", "8ch", "5.1ch"].contains(word)
  }

  static func isDigit(_ character: Character) -> Bool { character >= "0" && character <= "9" }
}
