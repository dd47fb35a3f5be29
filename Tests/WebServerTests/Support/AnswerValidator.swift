import APIClient
import Foundation
import JSON
import NIOHTTP1
import TestSupport
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

  private var validator: RunningProgram?

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
    let validator = try running()
    validator.send(example.text())
    guard let problem = try JSON(parsing: Array(validator.line().utf8)).string else { return }
    Issue.record("\(example["method"] ?? "") \(example["path"] ?? ""): \(problem)")
  }

  private func running() throws -> RunningProgram {
    if let validator { return validator }
    let new = try RunningProgram(Program.pythonWithJSONSchema.get(), ["-c", Self.program])
    new.send(APIContract.document.text())
    validator = new
    return new
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
