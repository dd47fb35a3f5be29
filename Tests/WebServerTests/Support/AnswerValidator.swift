import APIClient
import Foundation
import JSON
import NIOHTTP1
import TheaterAPI
import Testing

/// Checks answers and events of the server against the OpenAPI document, with Python's `jsonschema` in a
/// child process: an implementation of JSON Schema that is not ours.
actor AnswerValidator {
  static let shared = AnswerValidator()

  private static let program = """
    import json, re, sys
    from jsonschema import Draft202012Validator

    document = json.loads(sys.stdin.readline())
    base = document["servers"][0]["url"]
    # Literal paths before those with captures: /sessions/current before /sessions/{id}.
    paths = sorted(document["paths"], key=lambda path: path.count("{"))
    patterns = [(re.compile(base + re.sub(r"\\{[^/]+\\}", "[^/]+", path)), document["paths"][path])
                for path in paths]
    validators = {}

    def mismatch(schema, value):
        key = json.dumps(schema)
        if key not in validators:
            validators[key] = Draft202012Validator(
                dict(schema, components=document["components"]))
        error = next(validators[key].iter_errors(value), None)
        return error and f"{error.json_path}: {error.message}"[:500]

    def declared(case):
        path = case["path"].split("?")[0]
        item = next((item for pattern, item in patterns if pattern.fullmatch(path)), {})
        return item.get("get" if case["method"] == "HEAD" else case["method"].lower())

    def problem(case):
        operation = declared(case)
        if "event" in case:
            events = operation["responses"]["200"]["content"]["text/event-stream"]["x-events"]
            if case["event"] not in events:
                return f"the event {case['event']} is not declared"
            return mismatch(events[case["event"]], case["json"])
        status = str(case["status"])
        if operation is None:
            response = document["components"]["responses"]["Error"]
        elif status in operation["responses"]:
            response = operation["responses"][status]
        else:
            return f"the status {status} is not declared"
        if "$ref" in response:
            response = document["components"]["responses"][response["$ref"].split("/")[-1]]
        if case["method"] == "HEAD":
            return None
        content = response.get("content")
        if content is None:
            return None if case["json"] is None else "the answer has a body that is not declared"
        if case["type"] not in content:
            return f"the content type {case['type']} is not declared"
        return mismatch(content[case["type"]]["schema"], case["json"])

    for line in sys.stdin:
        print(json.dumps(problem(json.loads(line))), flush=True)
    """

  /// Why the child process could not be used.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private struct Child {
    let process: Process
    let input: FileHandle
    let output: FileHandle
  }
  private var child: Child?

  /// Records an issue if the document does not allow the answer.
  func check(_ method: HTTPMethod, _ path: String, _ answer: ControllerResponse) throws {
    try check(
      [
        "method": .string(method.rawValue), "path": .string(path),
        "status": .integer(answer.status),
        "type": (answer.header("content-type")).map { .string($0) } ?? .null,
        "json": answer.body.isEmpty ? .null : answer.json,
      ])
  }

  /// Records an issue if the document does not allow the event.
  func check(_ event: ServerSentEvent) throws {
    try check([
      "method": "GET", "path": .string(PlaybackEndpoint.events.path()),
      "event": .string(event.name), "json": event.json,
    ])
  }

  private func check(_ example: JSON) throws {
    let child = try running()
    try child.input.write(contentsOf: Data((example.text() + "\n").utf8))
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      let bytes = child.output.availableData
      guard !bytes.isEmpty else { throw Failure(description: "the validator ended") }
      line += bytes
    }
    guard let problem = try JSON(parsing: line).string else { return }
    Issue.record("\(example["method"] ?? "") \(example["path"] ?? ""): \(problem)")
  }

  private func running() throws -> Child {
    if let child { return child }
    let (input, output) = (Pipe(), Pipe())
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try Self.python())
    process.arguments = ["-c", Self.program]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let child = Child(
      process: process, input: input.fileHandleForWriting, output: output.fileHandleForReading)
    try child.input.write(contentsOf: Data((APIContract.document.text() + "\n").utf8))
    self.child = child
    return child
  }

  /// A Python with jsonschema: Debian's, or one on the path.
  private static func python() throws -> String {
    let environment = ProcessInfo.processInfo.environment
    let folders = ["/usr/bin"] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let candidates =
      [environment["THEATER_TEST_PYTHON"]].compactMap(\.self) + folders.map { "\($0)/python3" }
    for python in candidates where FileManager.default.isExecutableFile(atPath: python) {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: python)
      process.arguments = ["-c", "import jsonschema"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      if process.terminationStatus == 0 { return python }
    }
    throw Failure(description: "no python3 with jsonschema: apt-get install python3-jsonschema")
  }
}

/// A client whose answers and events are checked against the OpenAPI document.
struct TestClient: Sendable {
  private var client: ControllerClient

  init(_ address: ControllerAddress, token: String? = nil) {
    client = ControllerClient(address, token: token)
  }

  var address: ControllerAddress { client.address }
  var token: String? {
    get { client.token }
    set { client.token = newValue }
  }
  var device: String? {
    get { client.device }
    set { client.device = newValue }
  }

  func send(
    _ method: HTTPMethod, _ path: String, _ body: JSON? = nil, wait: Int? = nil,
    headers: HTTPHeaders = [:]
  ) async throws -> ControllerResponse {
    let answer = try await client.send(method, path, body, wait: wait, headers: headers)
    try await AnswerValidator.shared.check(method, path, answer)
    return answer
  }

  func send(
    _ method: HTTPMethod, _ path: String, bytes: [UInt8]?, headers: HTTPHeaders = [:]
  ) async throws -> ControllerResponse {
    let answer = try await client.send(method, path, bytes: bytes, headers: headers)
    try await AnswerValidator.shared.check(method, path, answer)
    return answer
  }

  /// - Parameter isChecked: False for tests that publish events or values of their own.
  func listen(
    after id: String? = nil, isChecked: Bool = true, opened: () async -> Void = {},
    _ body: (ServerSentEvent) async throws -> Bool
  ) async throws -> ControllerResponse? {
    let refusal = try await client.listen(after: id, opened: opened) { event in
      if isChecked { try await AnswerValidator.shared.check(event) }
      return try await body(event)
    }
    if let refusal {
      try await AnswerValidator.shared.check(.GET, PlaybackEndpoint.events.path(), refusal)
    }
    return refusal
  }
}
