/// The word at the cursor of a bash command line, as bash would read it (bash(1), QUOTING).
struct BashWord {
  /// The word without its quotes.
  let text: String
  /// The part of `text` before the position at which bash inserts a candidate.
  let kept: String
  /// The open quote at that position.
  let quote: Unicode.Scalar?

  /// Parses the last word. Returns `nil` if the word has a `$` or a backquote that bash would
  /// expand, or if the line has a redirection or a second command.
  ///
  /// - Parameters:
  ///   - line: The command line up to the cursor.
  ///   - replaced: The end of `line` that bash replaces with a candidate.
  init?(line: String, replaced: String) {
    let scalars = Array(line.unicodeScalars)
    let end = Array(replaced.unicodeScalars)
    guard scalars.suffix(end.count).elementsEqual(end), let whole = Reading(scalars),
      let before = Reading(scalars.dropLast(end.count))
    else { return nil }
    text = whole.text
    // Bash replaces a word as a whole if it begins inside the replaced part.
    (kept, quote) = before.start == whole.start ? (before.text, before.quote) : ("", nil)
  }

  /// Returns the candidate that bash puts in place of the replaced part, so that the word becomes `title`; `nil` if
  /// the word does not fit `title`.
  func replacement(for title: String) -> String? {
    let scalars = title.unicodeScalars
    let count = kept.unicodeScalars.count
    guard title.begins(with: text),
      String(String.UnicodeScalarView(scalars.prefix(count))).lowercased() == kept.lowercased()
    else { return nil }
    let rest = String(String.UnicodeScalarView(scalars.dropFirst(count)))
    guard !rest.isEmpty else { return nil }
    guard let quote else { return Self.quoted(rest) }
    let mark = String(quote)
    let inside = quote == "'" ? rest.escaping(["'"], with: "'\\'") : Self.doubleQuoted(rest)
    // readline drops the open quote if a candidate begins with the same one, and adds a closing quote
    // if the candidate has none.
    return (inside.unicodeScalars.first == quote ? mark : "") + inside + mark
  }

  private static func quoted(_ text: String) -> String {
    var quoted = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "_", ".", ",", "/", "+", "-", "%", "\u{80}"...: break
      default: quoted += "\\"
      }
      quoted.unicodeScalars.append(scalar)
    }
    return quoted
  }

  /// Quotes a text inside double quotes. `!` is put outside of them: inside, bash would keep its backslash.
  private static func doubleQuoted(_ text: String) -> String {
    var quoted = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "$", "`", "\"", "\\": quoted += "\\\(scalar)"
      case "!": quoted += "\"\\!\""
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted
  }

  /// The last word of a line.
  private struct Reading {
    /// The offset of the word in the line; the line's end after a space.
    private(set) var start = 0
    private(set) var text = ""
    private(set) var quote: Unicode.Scalar?

    /// Returns `nil` if the word has a `$` or a backquote that bash would expand, or if the line
    /// has an operator.
    init?(_ line: some Collection<Unicode.Scalar>) {
      var isInWord = false
      var isExpanded = false
      var isEscaped = false
      for (offset, scalar) in line.enumerated() {
        if isEscaped {
          isEscaped = false
          // Inside double quotes a backslash escapes only these four characters.
          if quote == "\"", !"$`\"\\".unicodeScalars.contains(scalar) { text += "\\" }
          text.unicodeScalars.append(scalar)
          continue
        }
        switch (quote, scalar) {
        case (nil, " "), (nil, "\t"), (nil, "\n"):
          (isInWord, isExpanded) = (false, false)
          continue
        case (nil, ";"), (nil, "&"), (nil, "|"), (nil, "<"), (nil, ">"), (nil, "("), (nil, ")"):
          return nil
        default: break
        }
        if !isInWord { (isInWord, start, text) = (true, offset, "") }
        switch (quote, scalar) {
        case (nil, "\\"), ("\"", "\\"): isEscaped = true
        case (nil, "'"), (nil, "\""): quote = scalar
        case (scalar, "'"), (scalar, "\""): quote = nil
        case (nil, "$"), ("\"", "$"), (nil, "`"), ("\"", "`"): isExpanded = true
        default: text.unicodeScalars.append(scalar)
        }
      }
      if isExpanded { return nil }
      if !isInWord { (start, text) = (line.count, "") }
    }
  }
}
