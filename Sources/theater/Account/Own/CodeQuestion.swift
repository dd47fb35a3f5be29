import Foundation
import JSON

/// A code that was sent somewhere, as the controller tells of it.
struct SentCode {
  let request: String
  private let digits: Int
  private let validFor: Int
  private let resendAfter: Int

  init(_ answer: JSON) throws(Ending) {
    guard let request = answer["request"]?.string else {
      throw Ending(.failed, "the controller gave no request for a code")
    }
    self.request = request
    digits = answer["digits"]?.integer ?? 6
    validFor = answer["validFor"]?.integer ?? 600
    resendAfter = answer["resendAfter"]?.integer ?? 30
  }

  /// Says what was sent, and takes the code from the person or from one line of standard input: it
  /// never stands among the arguments, where others could read it.
  func ask(_ place: String) throws(Ending) -> String {
    Console.say(
      "A code of \(digits) digits was sent to \(place). It is good for \(validFor / 60) minutes; "
        + "another can be sent after \(resendAfter) seconds.")
    return try Question.secretLine("Code")
  }
}

extension Question {
  /// A line that is no password but not for the arguments either: typed, or from standard input.
  static func secretLine(_ prompt: String) throws(Ending) -> String {
    if isatty(STDIN_FILENO) == 1 { return try ask(prompt) }
    guard let line = readLine(strippingNewline: true), !line.isEmpty else {
      throw Ending(.wrongUsage, "standard input is empty", hint: "Give the code as one line.")
    }
    return line
  }
}
