import Devices
import Foundation
import JSON
import TestSupport
import Testing

@testable import TheaterAPI

@Suite struct ContractTests {
  @Test("docs/openapi.json matches the declarations; make generate writes it")
  func committedDocument() throws {
    try ProjectFile.expect("docs/openapi.json", toBe: APIContract.document.prettyText() + "\n")
  }

  @Test("docs/http-api.md lists all routes and their permissions")
  func referencePage() throws {
    try ProjectFile.expect(
      "routes", of: "docs/http-api.md", toBe: "\n\(APIContract.referenceTables)\n")
  }

  @Test("A9 · no two operations share an id, or a method and path")
  func uniqueOperations() {
    let operations = APIContract.operations
    #expect(Set(operations.map(\.id)).count == operations.count)
    #expect(
      Set(operations.map { "\($0.route.method) \($0.route.path)" }).count == operations.count)
  }

  @Test("A9 · every reference of the document resolves, and every component is used")
  func references() {
    let names = Set(Component.all.map(\.name))
    #expect(names.count == Component.all.count)
    #expect(Self.references(in: APIContract.document) == names)
  }

  @Test("A9 · a request allows no member that the route does not declare")
  func closedRequests() {
    for operation in APIContract.operations {
      guard case .json(let schema) = operation.route.body, schema.json["$ref"] == nil else {
        continue
      }
      let alternatives = schema.json["oneOf"]?.array ?? [.object(schema.json)]
      for alternative in alternatives {
        #expect(alternative["additionalProperties"] == false, "\(operation.id)")
      }
    }
  }

  @Test("A9 · the document says which parameters and bodies the server requires")
  func requiredParts() {
    func operation(_ method: String, _ path: String) -> JSON? {
      APIContract.document["paths"]?[path]?[method]
    }
    func required(_ method: String, _ path: String) -> [String] {
      (operation(method, path)?["parameters"]?.array ?? []).compactMap {
        $0["required"] == true ? $0["name"]?.string : nil
      }
    }
    #expect(required("get", "/library/picture") == ["item"])
    #expect(required("put", "/configuration") == ["If-Match"])
    #expect(required("get", "/audit").isEmpty)
    #expect(operation("put", "/configuration")?["requestBody"]?["required"] == true)
    // An empty text is answered with its mistakes.
    #expect(operation("post", "/configuration/check")?["requestBody"]?["required"] == false)
  }

  @Test("A9 · a path has its arguments percent-encoded in place of the captures")
  func paths() {
    #expect(SystemEndpoint.health.path() == "/api/v1/health")
    #expect(
      DeviceEndpoint.sendCommand.path("a/b ü") == "/api/v1/devices/a%2Fb%20%C3%BC/commands")
  }

  @Test("A9 · every optional member of a request accepts null, as if it were missing")
  func nullableMembers() {
    let schema = Schema.request(
      ["name": .text(1...9)], optional: ["role": .words(["a", "b"]), "volume": .integer(0...100)])
    #expect(schema.member("name")?["type"] == "string")
    #expect(schema.member("role")?["type"] == ["string", "null"])
    #expect(schema.member("role")?["enum"] == ["a", "b", nil])
    #expect(schema.member("volume")?["type"] == ["integer", "null"])
    #expect(schema.memberNames == ["name", "role", "volume"])
  }

  /// The names of all components to which a part of the document refers.
  private static func references(in json: JSON) -> Set<String> {
    switch json {
    case .array(let elements):
      return elements.reduce(into: []) { $0.formUnion(references(in: $1)) }
    case .object(let object):
      return object.reduce(into: []) { names, member in
        if member.key == "$ref", let name = member.value.string?.split(separator: "/").last,
          member.value.string?.hasPrefix("#/components/schemas/") == true
        {
          names.insert(String(name))
        }
        names.formUnion(references(in: member.value))
      }
    default: return []
    }
  }
}
