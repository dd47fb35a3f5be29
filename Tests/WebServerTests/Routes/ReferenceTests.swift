import Devices
import Foundation
import HTTPTypes
import TestSupport
import Testing
import WebServer

@Suite struct ReferenceTests {
  @Test("F2 · docs/http-api.md lists every route with who may use it, and no other")
  func everyRouteIsDocumented() async throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("docs/http-api.md")
    let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.contains("| `/api/v1") }
      .map { row in
        row.split(separator: "|").prefix(3)
          .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
          .joined(separator: " ")
      }
    try await LivingRoom.open { room in
      let routes = room.routes.map { route in
        let who =
          switch route.access {
          case .everyone: "anyone"
          case .permitted(let permission): permission.rawValue
          }
        return "\(route.method.rawValue) \(route.path) \(who)"
      }
      #expect(Set(rows) == Set(routes))
      #expect(rows.count == routes.count)
    }
  }
}
