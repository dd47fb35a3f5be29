import Accounts
import Devices
import Foundation
import HomeTheater
import Hummingbird
import JSON
import TheaterAPI

extension APIServices {
  /// Seconds until an access token expires, unless its maker says otherwise.
  private static let standardValidity: Double = 90 * 86_400

  func listTokens(_ request: RequestContext) async throws -> Response {
    let tokens = try await accountService.tokens.list(of: request.principal())
    return Response([
      "tokens": .array(tokens.map(\.json)), "words": .array(tokenWords.map { .string($0) }),
    ])
  }

  func createToken(_ request: RequestContext) async throws -> Response {
    let fields = try request.fields()
    let wanted = AccessTokenRequest(
      name: try fields.requiredText("name"), scopes: try scopes(fields),
      validity: try fields.number("validFor") ?? Self.standardValidity)
    let issued = try await accountService.tokens.make(wanted, by: request.principal())
    var answer = issued.token.members
    answer["token"] = .string(issued.secret.text)
    return Response(.object(answer), status: .created)
  }

  /// Every word that a token may have at present: `all` and `view`, then the operations, the activities, the scenes
  /// and the commands of the devices.
  private var tokenWords: [String] {
    let activities = theater.plan.activities.keys.sorted().map { TokenScope.activity($0) }
    let scenes = theater.plan.scenes.keys.sorted().map { TokenScope.scene($0) }
    let commands = theater.devices.values.sorted { $0.id < $1.id }.flatMap { device in
      device.role.commands.map { TokenScope.device(device.id.name, command: $0.name) }
    }
    let operations = APIContract.tokenCommands.map { TokenScope.command($0) }
    return ([.everything, .view] + operations + activities + scenes + commands).map(\.word)
  }

  /// The scopes that the body names; all of them exist.
  private func scopes(_ fields: BodyFields) throws(APIError) -> Set<TokenScope> {
    let known = tokenWords
    let hint = "A token may have: \(listed(known))."
    let words = try fields.texts("may", hint: hint)
    var scopes: Set<TokenScope> = []
    for word in words {
      guard known.contains(word), let scope = TokenScope(word: word) else {
        throw .invalid(
          "an access token may not have \"\(word.quotation)\"",
          hint: nearest(to: word, in: known).map { "Did you mean \"\($0)\"?" } ?? hint)
      }
      scopes.insert(scope)
    }
    return scopes
  }
}

extension AccessToken {
  /// The members of the component `AccessToken`.
  fileprivate var members: JSONObject {
    var object: JSONObject = [
      "id": .string(id.text), "name": .string(name.text),
      "may": .array(scopes.map { .string($0.word) }), "made": .string(madeAt.ISO8601Format()),
      "expires": .string(expires.ISO8601Format()),
    ]
    if let lastUse {
      object["lastUsed"] = .string(lastUse.date.ISO8601Format())
      object["lastAddress"] = .string(lastUse.address)
    }
    return object
  }

  /// The token as the component `AccessToken`.
  var json: JSON { .object(members) }
}

extension TokenPrincipal {
  /// The token as the component `Session`.
  var json: JSON {
    var object: JSONObject = [
      "user": [
        "name": .string(name), "email": .string(email), "role": .string(role.rawValue),
      ],
      "expires": .string(expires.ISO8601Format()),
      "accessToken": [
        "name": .string(tokenName), "may": .array(scopes.map(\.word).sorted().map { .string($0) }),
      ],
    ]
    if let ageLimit { object["ageLimit"] = .integer(ageLimit) }
    return .object(object)
  }
}
