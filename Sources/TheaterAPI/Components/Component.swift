import Devices
import JSON

/// A named schema of the document, at `#/components/schemas/NAME`.
public struct Component: Sendable {
  /// The last part of the reference, such as `ErrorAnswer`; unique in the document.
  public let name: String
  private let make: @Sendable () -> Schema

  /// - Parameter schema: Evaluated for the document, so that components may refer to each other.
  init(_ name: String, _ schema: @escaping @Sendable @autoclosure () -> Schema) {
    self.name = name
    make = schema
  }

  /// The schema that the name stands for.
  public var schema: Schema { make() }

  /// Every component, in the order of the document.
  public static let all: [Component] =
    [errorAnswer, failure] + accountComponents + playbackComponents + deviceComponents
    + systemComponents
}

extension Component {
  /// The body of every error response.
  static let errorAnswer = Component(
    "ErrorAnswer",
    .object([
      "error": .object(
        ["code": .errorCode, "message": .text()],
        optional: [
          "hint": .text().described("What to do next."),
          "device": .name.described("The device that caused it."),
          "step": .step,
          "field": .text().described("The member of the request, or field of a form, to change."),
          "retryAfter": .count.described("Seconds until a retry makes sense."),
          "triesLeft": .count.described("Remaining attempts."),
          "problems": Component.problems.described("The mistakes of a configuration."),
        ])
    ]))

  /// Why a run, a step or an activity failed.
  static let failure = Component(
    "Failure",
    .object(
      ["code": .errorCode, "message": .text()],
      optional: ["hint": .text(), "device": .name, "step": .step]))
}

extension Schema {
  /// The error for programs: `notFound`, `deviceFailed`.
  fileprivate static let errorCode = Schema.text(1...64, pattern: "^[a-zA-Z]+$")
  static let step = Schema.text(1...64, pattern: "^[0-9]+(\\.[0-9]+)*$")
    .described("The id of the plan's step: \"2.1\" is the first member of the second step.")

  /// A name that `devices.json` gives: of a device, a scene, an activity, a plugin.
  static let name = Schema.text(1...64)
  /// A title, for people.
  static let title = Schema.text()
  /// What a front end draws beside a title.
  static let icon = Schema.words(Icon.allCases.map(\.rawValue))
  /// A part of the home, by which lists are grouped.
  static let area = Schema.text(1...100)
  static let anyNumber = Schema(json: ["type": "number"])
  /// A length of time, in seconds.
  static let seconds = Schema(json: ["type": "number", "minimum": 0])
  static let percent = Schema.integer(0...100)

  /// The id of an event, `boot-sequence`: the place in the stream that the answer belongs to.
  static let eventID = Schema.text(3...100, pattern: "^.+-[0-9]+$")
}

extension Schema.Members {
  /// What people read and see instead of a name of `devices.json`.
  static let label: Self = ["title": .title, "icon": .icon, "area": .area]
}
