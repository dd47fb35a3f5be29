import ArgumentParser
import JSON

/// Options of a command that lists something.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Show JSON, for scripts.")
  var json = false

  /// Shows a value as JSON, or as a person reads it.
  func show(_ value: JSON, _ text: (JSON) throws -> String) throws {
    Console.say(json ? value.prettyText() : try text(value.printable))
  }
}
