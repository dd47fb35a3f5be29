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
    let python = try python()
    let folder = try TemporaryFolder()
    let input = folder.url.appending(path: "case.json")
    let text = JSON.object(["schema": schema, "instances": .array(instances)]).text()
    try Data(text.utf8).write(to: input)
    let (status, output) = try run(
      python, ["-c", program], input: FileHandle(forReadingFrom: input))
    guard status == 0, let verdicts = try? JSON(parsing: output).array else {
      throw Unavailable(description: "\(python) ended with \(status) and said: \(output)")
    }
    return verdicts.compactMap(\.bool)
  }

  /// A Python that has jsonschema: the one on PATH, Debian's, or one that the environment names.
  private static func python() throws -> String {
    let environment = ProcessInfo.processInfo.environment
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/bin"]
    let candidates =
      [environment["THEATER_TEST_PYTHON"]].compactMap { $0 } + folders.map { "\($0)/python3" }
    for python in candidates where FileManager.default.isExecutableFile(atPath: python) {
      let attempt = try? run(python, ["-c", "import jsonschema"], input: .nullDevice)
      if attempt?.status == 0 { return python }
    }
    throw Unavailable(
      description: "no python3 with jsonschema: apt-get install python3-jsonschema, or set "
        + "THEATER_TEST_PYTHON to the python of a virtual environment that has it")
  }

  private static func run(_ program: String, _ arguments: [String], input: FileHandle) throws
    -> (status: Int32, output: String)
  {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }
}
