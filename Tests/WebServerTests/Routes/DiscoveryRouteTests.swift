import APIClient
import AccountTestSupport
import Discovery
import JSON
import MQTTClient
import NIOCore
import NIOHTTP1
import TestSupport
import TheaterAPI
import Testing
import WebServer

@Suite(.timeLimit(.minutes(2))) struct DiscoveryRouteTests {
  private static let path = "/api/v1/discovery"

  @Test("F7 · an owner searches for devices and gets each finding with its entry")
  func search() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(.POST, Self.path)
      #expect(answer.status == 200)
      #expect(answer.json["problems"] == ["mqtt: no broker"])
      #expect(
        answer.json["findings"]?.array == [
          [
            "kind": "projectors", "id": "pjlink:192.0.2.20", "title": "Projector", "place": "attic",
            "plugin": "PJLinkProjector", "roles": ["projector"], "notes": ["It is warm."],
            "entries": [
              "projector": [
                "role": "projector", "plugin": "PJLinkProjector", "options": ["host": "192.0.2.20"],
              ]
            ],
          ]
        ])
      let request = try #require(room.discovery.requests.first)
      #expect(request.kinds == DiscoveryKind.allCases && request.timeout == .seconds(3))
      #expect(request.broker == nil && request.secret == nil)
      let audit = try await owner.send(.GET, "/api/v1/audit").json["entries"]?.array ?? []
      #expect(
        audit.first { $0["deed"] == "devicesSearched" }?["subject"]
          == "projectors, mqtt, sound, drives, displays, folders")
    }
  }

  @Test("F7 · the API declares every kind of search")
  func kinds() {
    #expect(DiscoveryWords.kinds == DiscoveryKind.allCases.map(\.rawValue))
  }

  @Test("F5 F6 · only owners search for devices")
  func permissions() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let member = try await room.member(invitedBy: owner)
      for (client, status) in [(room.stranger, 401), (member, 403)] {
        #expect(try await client.send(.POST, Self.path, [:]).status == status)
      }
      #expect(room.discovery.requests.isEmpty)
    }
  }

  @Test("F5 F6 · the broker's password reaches the search, and neither the log nor the audit log")
  func password() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let answer = try await owner.send(
        .POST, Self.path,
        [
          "only": ["mqtt", "folders"], "timeout": 5, "broker": "broker.lan:1884",
          "user": "theater", "password": "caramel corn",
        ])
      #expect(answer.status == 200)
      let request = try #require(room.discovery.requests.first)
      #expect(request.kinds == [.mqtt, .folders] && request.timeout == .seconds(5))
      var dumped = ""
      dump(request, to: &dumped)
      #expect(!dumped.contains("caramel") && !"\(request)".contains("caramel"))
      #expect(
        request.broker
          == BrokerAddress(
            host: "broker.lan", port: 1884, user: "theater", password: "caramel corn"))
      let audit = try await owner.send(.GET, "/api/v1/audit").json.text()
      #expect(audit.contains("devicesSearched") && !audit.contains("caramel"))
      #expect(!room.log.lines.contains { $0.contains("caramel") })
    }
  }

  @Test("F7 · a search of a broker with TLS uses its port and the named authorities")
  func encrypted() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let body: JSON = ["broker": "broker.lan", "tls": true, "caFile": "/etc/ssl/home.pem"]
      #expect(try await owner.send(.POST, Self.path, body).status == 200)
      let request = try #require(room.discovery.requests.first)
      #expect(
        request.broker
          == BrokerAddress(
            host: "broker.lan", port: 8883, tls: .init(caFile: "/etc/ssl/home.pem")))
    }
  }

  @Test(
    "F6 · the audit log shows a broker's IPv6 address in brackets", arguments: ["::1", "[::1]"])
  func addressInBrackets(_ broker: String) async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      #expect(try await owner.send(.POST, Self.path, ["broker": .string(broker)]).status == 200)
      let audit = try await owner.send(.GET, "/api/v1/audit").json["entries"]?.array ?? []
      let subject = audit.first { $0["deed"] == "devicesSearched" }?["subject"]?.string
      #expect(subject?.hasSuffix(" at [::1]:1883") == true)
    }
  }

  @Test("F5 F6 · a secret of the controller is sent to a broker only after a fresh proof")
  func secret() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      let body: JSON = ["broker": "broker.lan", "user": "theater", "secret": "projector"]
      #expect(try await owner.send(.POST, Self.path, body).status == 200)
      #expect(room.discovery.requests.first?.secret == "projector")
      let audit = try await owner.send(.GET, "/api/v1/audit").json["entries"]?.array ?? []
      let subject = audit.first { $0["deed"] == "devicesSearched" }?["subject"]?.string
      #expect(subject?.hasSuffix(" at broker.lan:1883 with the secret projector") == true)
      room.accountClock.advance(6 * 60)
      let refused = try await owner.send(.POST, Self.path, body)
      #expect(refused.status == 403 && refused.json["error"]?["code"] == "proofNeeded")
      #expect(try await owner.send(.POST, Self.path, ["only": ["mqtt"]]).status == 200)
    }
  }

  @Test(
    "F7 · refuses a search whose request is wrong",
    arguments: [
      ["kinds": []], ["only": "mqtt"], ["only": ["cars"]], ["only": [1]], ["timeout": 0],
      ["only": ["mqtt", "mqtt", "mqtt", "mqtt", "mqtt", "mqtt", "mqtt"]],
      ["timeout": 26], ["timeout": 1.5], ["broker": "a b"], ["broker": "mqtt://a"], ["broker": ""],
      ["user": "u"], ["password": "p"], ["broker": "b", "password": "p"],
      ["broker": "b", "secret": "s"], ["broker": "b", "user": ""],
      ["broker": "b", "user": "u", "password": "p", "secret": "s"],
      ["broker": "b", "user": "u", "password": "a\u{0}b"], [], ["tls": true],
      ["broker": "b", "caFile": "/ca.pem"], ["broker": "b", "tls": false, "caFile": "/ca.pem"],
      ["broker": "b", "tls": 1],
    ] as [JSON])
  func wrong(body: JSON) async throws {
    try await TestServer.open { room in
      let answer = try await room.owner().send(.POST, Self.path, body)
      #expect(answer.status == 422)
      #expect(answer.json["error"]?["message"]?.string?.isEmpty == false)
      #expect(room.discovery.requests.isEmpty)
    }
  }

  @Test("F7 · a second search at the same time is refused with 409, and the first goes on")
  func second() async throws {
    try await TestServer.open { room in
      let owner = try await room.owner()
      room.discovery.hold(true)
      async let first = owner.send(.POST, Self.path)
      #expect(await eventually { room.discovery.requests.count == 1 })
      let second = try await owner.send(.POST, Self.path)
      #expect(second.status == 409 && second.json["error"]?["code"] == "notNow")
      #expect(second.json["error"]?["hint"]?.string?.isEmpty == false)
      room.discovery.hold(false)
      #expect(try await first.status == 200)
      #expect(try await owner.send(.POST, Self.path).status == 200)
    }
  }

  @Test("F7 · a search ends when its client has closed the connection, and the next one runs")
  func clientGone() async throws {
    try await TestServer.open(.port(0, of: "127.0.0.1")) { room in
      let owner = try await room.owner()
      room.discovery.hold(true)
      try await room.connection { _, outbound in
        try await outbound.write(
          ByteBuffer(
            string: "POST \(Self.path) HTTP/1.1\r\nHost: 127.0.0.1:\(room.port)\r\n"
              + "Authorization: Bearer \(owner.token ?? "")\r\nContent-Length: 0\r\n\r\n"))
        #expect(await eventually { room.discovery.requests.count == 1 })
      }
      #expect(await eventually { room.discovery.cancelled == 1 })
      // The audit log records the search nevertheless.
      let audit = try await owner.send(.GET, "/api/v1/audit").json["entries"]?.array ?? []
      #expect(audit.contains { $0["deed"] == "devicesSearched" })
      room.discovery.hold(false)
      #expect(
        await eventually { (try? await owner.send(.POST, Self.path).status) == 200 })
    }
  }
}
