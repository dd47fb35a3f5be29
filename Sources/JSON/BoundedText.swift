/// Limits of texts that come from outside: requests, plugins, media files, configuration.
public enum TextLimits {
  /// Longest row of combining marks, in code points (UAX #15, section 13: stream-safe text format).
  ///
  /// Swift compares and hashes strings by canonical equivalence, which sorts each row of marks. The
  /// cost grows with the square of the row's length, so every text is checked or cut before it is
  /// compared, hashed or normalised.
  public static let marksInARow = 30
  /// Longest key of an object in a JSON text, in bytes in UTF-8.
  public static let longestKey = 1024
  /// Longest quotation of outside text in a message, in bytes in UTF-8.
  public static let longestQuotation = 80
}

extension String {
  /// Whether at most `TextLimits.marksInARow` combining marks follow each other.
  ///
  /// Linear in the length; a text in ASCII costs one pass over its bytes.
  public var isStreamSafe: Bool {
    if utf8.allSatisfy({ $0 < 0x80 }) { return true }
    var marks = 0
    for scalar in unicodeScalars {
      marks = scalar.extendsCombiningSequence ? marks + 1 : 0
      if marks > TextLimits.marksInARow { return false }
    }
    return true
  }

  /// The text as a message quotes it: one line of at most `TextLimits.longestQuotation` bytes.
  public var quotation: String { boundedLine(maximumBytes: TextLimits.longestQuotation) }

  /// Returns the text as one line of at most `limit` bytes in UTF-8, safe to compare, keep and show.
  ///
  /// Line breaks and tabs become spaces. Other control characters, bidirectional controls and
  /// further invisible format characters are removed, except the two joiners, which emoji and
  /// several scripts need, and signs before numbers. Combining marks beyond `TextLimits.marksInARow`
  /// in a row and spaces at both ends are removed. A text that is cut ends with "…", which counts
  /// towards `limit`; it is cut between code points, and never before a combining mark.
  ///
  /// - Parameter limit: Bytes in UTF-8, at least 4.
  public func boundedLine(maximumBytes limit: Int) -> String {
    if utf8.count <= limit, utf8.first != 0x20, utf8.last != 0x20,
      utf8.allSatisfy({ (0x20..<0x7F).contains($0) })
    {
      return self
    }
    let ellipsis = "…"
    var scalars = String.UnicodeScalarView()
    var bytes = 0
    var marks = 0
    // The longest beginning after which the ellipsis still fits.
    var end = (scalars: 0, isReached: false)
    var count = 0
    var visible = unicodeScalars[...]
    while let last = visible.last, last.shownInLine ?? " " == " " { visible.removeLast() }
    for scalar in visible {
      guard let shown = scalar.shownInLine else { continue }
      if scalars.isEmpty, shown == " " { continue }
      let isMark = shown.extendsCombiningSequence
      marks = isMark ? marks + 1 : 0
      if marks > TextLimits.marksInARow { continue }
      let size = UTF8.width(shown)
      if !isMark, !end.isReached {
        if bytes <= limit - ellipsis.utf8.count {
          end.scalars = count
        } else {
          end.isReached = true
        }
      }
      if bytes + size > limit {
        var cut = String.UnicodeScalarView(scalars.prefix(end.scalars))
        while cut.last == " " { cut.removeLast() }
        return String(cut) + ellipsis
      }
      scalars.append(shown)
      bytes += size
      count += 1
    }
    return String(scalars)
  }
}

extension Unicode.Scalar {
  /// Whether it continues the combining sequence before it instead of beginning one.
  var extendsCombiningSequence: Bool {
    // The first combining mark is U+0300.
    guard value >= 0x300 else { return false }
    // The half-width sound marks of katakana are letters that become marks when they are normalised.
    if value == 0xFF9E || value == 0xFF9F { return true }
    if properties.canonicalCombiningClass != .notReordered { return true }
    switch properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return true
    default: return false
    }
  }

  /// Format characters that text needs: the two joiners, and signs that Arabic, Syriac and Kaithi put
  /// before a number.
  private static let keptFormats: Set<UInt32> = [
    0x200C, 0x200D, 0x600, 0x601, 0x602, 0x603, 0x604, 0x605, 0x6DD, 0x70F, 0x890, 0x891, 0x8E2,
    0x110BD, 0x110CD,
  ]

  /// This code point as a line of text shows it; nil if it is removed from the line.
  fileprivate var shownInLine: Unicode.Scalar? {
    switch properties.generalCategory {
    case .control:
      return ("\t"..."\r").contains(self) || value == 0x85 ? " " : nil
    case .lineSeparator, .paragraphSeparator: return " "
    case .format: return Self.keptFormats.contains(value) ? self : nil
    default: return self
    }
  }
}
