import Foundation
import JSON
import TestSupport

/// Python's `jsonschema`: an independent reader of JSON Schema (draft 2020-12).
enum JSONSchemaValidator {
  /// The reason why the validator could not be run.
  struct Unavailable: Error, CustomStringConvertible {
    let description: String
  }

  private static let program = """
    import json, sys
    from jsonschema import Draft202012Validator
    case = json.load(sys.stdin)
    Draft202012Validator.check_schema(case["schema"])
    validator = Draft202012Validator(case["schema"])
    print(json.dumps([validator.is_valid(instance) for instance in case["instances"]]))
    """

  /// Returns for each instance whether it is valid; also checks the schema itself.
  static func verdicts(on instances: [JSON], schema: JSON) throws -> [Bool] {
    let python = try Program.pythonWithJSONSchema.get()
    let text = JSON.object(["schema": schema, "instances": .array(instances)]).text()
    let outcome = try Program.runBlocking(python, ["-c", program], input: text)
    guard outcome.status == 0, let verdicts = try? JSON(parsing: outcome.output).array else {
      throw Unavailable(
        description: "\(python) ended with \(outcome.status) and said: \(outcome.errors)")
    }
    return verdicts.compactMap(\.bool)
  }
}
