import Accounts
import Devices
import Foundation
import Hummingbird
import JSON

extension APIServices {
  /// What happened at the gate.
  var auditRoutes: [Route] {
    [
      .get(
        "/api/v1/audit", by: .permitted(.administer),
        "The newest entries of the audit log, or those before a place: "
          + "?limit=100&since=2026-01-31T00:00:00Z&before=1234."
      ) { call in
        let query = call.request.uri.queryParameters
        let page = try await accountService.audit.page(
          newest: Self.limit(query["limit"].map(String.init)),
          since: Self.since(query["since"].map(String.init)),
          before: Self.before(query["before"].map(String.init)))
        var answer: JSONObject = ["entries": .array(page.entries.map(\.json))]
        if let before = page.before { answer["before"] = .integer(Int(before)) }
        return Response(.object(answer))
      }
    ]
  }

  private static func before(_ text: String?) throws(APIError) -> Int64? {
    guard let text else { return nil }
    guard let place = Int64(text), place > 0 else {
      throw .invalid(
        "\"before\" is \"\(text.prefix(60))\", expected the \"before\" of an earlier answer")
    }
    return place
  }

  private static func limit(_ text: String?) throws(APIError) -> Int {
    guard let text else { return 100 }
    guard let limit = Int(text), (1...1000).contains(limit) else {
      throw .invalid("\"limit\" is \"\(text.prefix(60))\", expected 1 to 1000")
    }
    return limit
  }

  private static func since(_ text: String?) throws(APIError) -> Date? {
    guard let text else { return nil }
    guard let date = try? Date(text, strategy: .iso8601) else {
      throw .invalid(
        "\"since\" is \"\(text.prefix(60))\", expected a time like 2026-01-31T00:00:00Z")
    }
    return date
  }
}

extension AuditEntry {
  /// The entry for the API. What could pass for something else on a screen is written out.
  fileprivate var json: JSON {
    var object: JSONObject = [
      "at": .string(at.ISO8601Format()), "deed": .string(action.rawValue),
      "outcome": .string(outcome.word.escapingDisturbing),
    ]
    if let actor {
      object["who"] = .string(actor.name.escapingDisturbing)
      object["proven"] = .bool(actor.account != nil)
    }
    if let subject { object["subject"] = .string(subject.escapingDisturbing) }
    object["address"] = .string(origin.address.escapingDisturbing)
    object["device"] = .string(origin.device.escapingDisturbing)
    if count > 1 {
      object["count"] = .integer(count)
      object["last"] = .string(last.ISO8601Format())
    }
    return .object(object)
  }
}
