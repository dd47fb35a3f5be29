import Accounts
import Discovery
import Hummingbird
import JSON
import MQTTClient
import TheaterAPI

/// Searches the network and the controller's machine for devices.
package protocol DeviceDiscovery: Sendable {
  /// Searches in a bounded time; ends early when the task is cancelled.
  ///
  /// - Throws: `TheaterError` `notNow` while another search runs, `invalid` for a secret that
  ///   cannot be read.
  func search(for request: DiscoveryRequest) async throws -> DiscoveryResult
}

/// A search for devices.
package struct DiscoveryRequest: Sendable, Hashable {
  /// The kinds of search, in the order of `DiscoveryKind`; never empty.
  package let kinds: [DiscoveryKind]
  /// The time to wait for answers.
  package let timeout: Duration
  /// The broker with its login; `nil` for the broker on the controller's machine.
  package let broker: BrokerAddress?
  /// The secret with the broker's password; `nil` if the broker's address has it, or needs none.
  package let secret: String?

  /// The subject in the audit log: the kinds, the broker and the name of the secret.
  var subject: String {
    kinds.map(\.rawValue).joined(separator: ", ")
      + (broker.map { " at \($0.hostAndPort)" } ?? "")
      + (secret.map { " with the secret \($0)" } ?? "")
  }

  package init(
    kinds: [DiscoveryKind], timeout: Duration, broker: BrokerAddress? = nil, secret: String? = nil
  ) {
    self.kinds = kinds
    self.timeout = timeout
    self.broker = broker
    self.secret = secret
  }

  init(_ fields: BodyFields) throws(APIError) {
    kinds = try Self.kinds(fields)
    timeout = .seconds(try fields.integer("timeout") ?? 3)
    let (user, password) = (try fields.boundedText("user"), try fields.boundedText("password"))
    secret = try fields.boundedText("secret")
    guard let text = try fields.boundedText("broker") else {
      guard user == nil else { throw .invalid("\"user\" needs \"broker\"") }
      guard password == nil, secret == nil else {
        throw .invalid("a password needs \"broker\" and \"user\"")
      }
      guard fields["tls"] == nil, fields["caFile"] == nil else {
        throw .invalid("TLS needs \"broker\"")
      }
      broker = nil
      return
    }
    guard let address = BrokerAddress(text, tls: try Self.tls(fields)) else {
      throw .invalid(
        "\"broker\" is no address of a broker", hint: "Write HOST or HOST:PORT, without a scheme.")
    }
    guard let user else {
      guard password == nil, secret == nil else { throw .invalid("a password needs \"user\"") }
      broker = address
      return
    }
    guard password == nil || secret == nil else {
      throw .invalid("\"password\" and \"secret\" exclude each other")
    }
    broker = address.with(user: user, password: password)
  }

  private static func tls(_ fields: BodyFields) throws(APIError) -> BrokerAddress.TLS? {
    let caFile = try fields.boundedText("caFile")
    guard try fields.flag("tls") else {
      guard caFile == nil else { throw .invalid("\"caFile\" needs \"tls\": true") }
      return nil
    }
    return BrokerAddress.TLS(caFile: caFile)
  }

  private static func kinds(_ fields: BodyFields) throws(APIError) -> [DiscoveryKind] {
    guard fields["only"] != nil else { return DiscoveryKind.allCases }
    let hint = "Possible: \(DiscoveryWords.kinds.joined(separator: ", "))."
    let words = try fields.texts("only", hint: hint)
    guard words.count <= DiscoveryWords.kinds.count else {
      throw .invalid("\"only\" has \(words.count) kinds, more than there are", hint: hint)
    }
    for word in words where DiscoveryKind(rawValue: word) == nil {
      throw .invalid("\"only\" has an unknown kind \"\(word.quotation)\"", hint: hint)
    }
    return words.isEmpty
      ? DiscoveryKind.allCases : DiscoveryKind.allCases.filter { words.contains($0.rawValue) }
  }
}

extension APIServices {
  /// Searches for devices until the search ends, or the client closes its connection.
  func searchDevices(_ request: RequestContext) async throws -> Response {
    let search = try DiscoveryRequest(request.fields())
    // The controller connects to a broker that the request names, sends it a secret and opens a file of authorities:
    // an open session alone does not do.
    if search.broker != nil { try accountService.sessions.requireFreshProof(request.principal()) }
    // Recorded before the search, which may have sent the secret when the client closes its
    // connection.
    await accountService.audit.record(
      .devicesSearched, by: try request.actor(), about: search.subject)
    let discovery = discovery
    let result = try await request.context.channel.cancelWhenClosed {
      try await discovery.search(for: search)
    }
    return Response([
      "findings": .array(result.findings.map(\.json)),
      "problems": .array(result.problems.map { .string($0) }),
    ])
  }
}
