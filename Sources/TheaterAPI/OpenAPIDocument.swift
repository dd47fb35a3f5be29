import Devices
import JSON

extension APIContract {
  /// The OpenAPI 3.1 document of the whole API.
  public static let document: JSON = [
    "openapi": "3.1.0",
    "info": [
      "title": "Home theater", "version": "1",
      "description":
        "Every route of the controller. Answers to HEAD are those to GET, without body.",
    ],
    "servers": [["url": .string(Route.base)]],
    "tags": .array(groups.map { ["name": .string($0.title)] }),
    "security": [["bearer": []], ["cookie": []]],
    "paths": paths,
    "components": [
      "securitySchemes": [
        "bearer": [
          "type": "http", "scheme": "bearer",
          "description":
            "The token of a session, or an access token, which is accepted only over TLS or from this machine.",
        ],
        "cookie": [
          "type": "apiKey", "in": "cookie", "name": "__Host-theater",
          "description": "Set for browsers; without TLS its name is `theater`.",
        ],
      ],
      "responses": ["Error": errorResponse],
      "schemas": .object(
        JSONObject(Component.all.map { ($0.name, .object($0.schema.json)) })),
    ],
  ]

  private static var paths: JSON {
    var paths = JSONObject()
    for operation in operations {
      var item = paths[operation.route.path]?.object ?? [:]
      item[operation.route.method.rawValue.lowercased()] = operation.route.operation(
        id: operation.id, group: operation.group)
      paths[operation.route.path] = .object(item)
    }
    return .object(paths)
  }

  private static let errorResponse: JSON = [
    "description": "The request was refused, or it failed.",
    "content": ["application/json": ["schema": .object(Schema.reference(.errorAnswer).json)]],
  ]
}

extension Route {
  /// The operation object of the document.
  fileprivate func operation(id: String, group: String) -> JSON {
    var operation: JSONObject = [
      "operationId": .string(id), "tags": [.string(group)], "summary": .string(help),
    ]
    switch access {
    case .everyone: operation["security"] = []
    case .permitted(let permission, let tokens):
      operation["description"] = .string(
        "Needs the permission `\(permission.rawValue)`. "
          + (tokens.word.map { "An access token needs `\($0)`\($0 == "all" ? "" : " or `all`")." }
            ?? "Refuses access tokens."))
    }
    let parameters = captures.map(Self.pathParameter) + parameters.map { JSON.object($0.json) }
    if !parameters.isEmpty { operation["parameters"] = .array(parameters) }
    if let schema = bodySchema {
      operation["requestBody"] = [
        "required": .bool(isBodyRequired),
        "content": ["application/json": ["schema": .object(schema.json)]],
      ]
    }
    var responses = JSONObject()
    for (status, answer) in answers.sorted(by: { $0.key < $1.key }) {
      responses["\(status)"] = answer.json
    }
    for status in errors { responses["\(status)"] = ["$ref": "#/components/responses/Error"] }
    operation["responses"] = .object(responses)
    return .object(operation)
  }

  private var bodySchema: Schema? {
    switch body {
    case .none: nil
    case .json(let schema): schema
    case .text: .anything
    }
  }

  /// Whether an empty body is refused; for JSON it counts as `{}`.
  private var isBodyRequired: Bool {
    switch body {
    case .none: false
    case .json(let schema):
      schema.json["type"] != "object" || !(schema.json["required"]?.array ?? []).isEmpty
    // A PUT saves the text. A POST only checks it, and reports the mistakes of an empty one.
    case .text: method == .put
    }
  }

  private static func pathParameter(_ name: String) -> JSON {
    [
      "name": .string(name), "in": "path", "required": true,
      "schema": .object(Schema.text(1...1024).json),
    ]
  }
}

extension Route.Parameter {
  /// `Prefer: wait=10` (RFC 7240): the answer waits up to that many seconds for the end of the run.
  static let prefer = Route.Parameter(
    // Any text is valid: a server ignores preferences that it does not know (RFC 7240, section 2).
    name: "Prefer", place: .header, schema: Schema(json: ["type": "string"]),
    help: "`wait=N` waits up to N seconds, at most 60, for the end; `respond-async` does not wait.")

  fileprivate var json: JSONObject {
    var json: JSONObject = ["name": .string(name), "in": .string(place.rawValue)]
    if isRequired { json["required"] = true }
    json["schema"] = .object(schema.json)
    json["description"] = .string(help)
    return json
  }
}

extension Route.Answer {
  fileprivate var json: JSON {
    switch self {
    case .empty: ["description": "Done."]
    case .unchanged: ["description": "The client already has the current version."]
    case .file(let types):
      [
        "description": "The file.",
        "content": .object(
          JSONObject(types.map { ($0, JSON.object(["schema": .object(Schema.anything.json)])) })),
      ]
    case .json(let schema):
      [
        "description": "The answer.",
        "content": ["application/json": ["schema": .object(schema.json)]],
      ]
    case .events(let events):
      [
        "description": "Server-sent events; `x-events` names the schema of each event's data.",
        "content": [
          "text/event-stream": [
            "schema": ["type": "string"],
            "x-events": .object(
              JSONObject(events.map { ($0.rawValue, .object(Schema.reference($0.data).json)) })),
          ]
        ],
      ]
    }
  }
}
