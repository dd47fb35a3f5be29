import Devices
import Foundation
import Glibc
import JSON
import MQTTClient
import PluginTestSupport
import TestSupport
import Testing

@testable import Discovery

@Suite("Searches in the network", .timeLimit(.minutes(2)))
struct NetworkSearchTests {
  private func search(_ projector: ProjectorFixture) async -> DiscoveryResult {
    await PJLinkSearch(
      addresses: ["127.0.0.1"], port: projector.port, localPort: 0, timeout: .seconds(5),
      probeTimeout: .seconds(10)
    ).run()
  }

  /// Searches a broker. It may accept late on a busy machine; a login that is refused ends the search at once.
  private func search(_ broker: BrokerAddress) async -> DiscoveryResult {
    await MQTTSearch(broker: broker, acceptance: .seconds(60), timeout: .seconds(5)).run()
  }

  @Test("F7 · The search over UDP finds a projector, asks its name, and writes its entry")
  func projector() async throws {
    let projector = try await ProjectorFixture(["search": true])
    let result = await search(projector)
    let finding = try #require(result.findings.first)
    #expect(result.findings.count == 1 && result.problems.isEmpty)
    #expect(finding.title == "Projector \"Rück-Projektor\", PJLink class 2")
    #expect(finding.id == "pjlink:127.0.0.1")
    #expect(
      JSON.object(finding.entry(for: .projector)) == [
        "role": "projector", "plugin": "PJLinkProjector",
        "options": ["host": "127.0.0.1", "port": .integer(projector.port)],
      ])
    #expect(await eventually { projector.opened > 0 && projector.closed == projector.opened })
  }

  @Test("A projector with a password is found without the password, and its entry names a secret")
  func password() async throws {
    let projector = try await ProjectorFixture(["search": "garbage", "authentication": "md5"])
    let finding = try #require(await search(projector).findings.first)
    #expect(finding.title == "Projector" && finding.notes.count == 1)
    try await projector.settle()
    #expect(finding.notes.first?.contains("secret") == true && projector.commands.isEmpty)
    #expect(finding.options(for: .projector)["password"] == ["secret": "projector"])
  }

  @Test(
    "The search ends in its time although projectors flood it or stay silent",
    arguments: [
      ("flood", "plain", 1), ("endless", "plain", 1), ("half-open", "plain", 1),
      ("slow", "silent", 0),
    ])
  func odd(mode: String, search: String, count: Int) async throws {
    let projector = try await ProjectorFixture([
      "odd": [.string(mode)], "search": .string(search),
    ])
    #expect(await self.search(projector).findings.count == count)
  }

  @Test("A silent projector takes no time from the others: each is asked for its name")
  func silentFirst() async throws {
    let silent = try await ProjectorFixture(["odd": ["half-open"], "search": true])
    let script = Program.project.appendingPathComponent("Tests/Fixtures/pjlink_projector.py").path
    // Another address of the loopback interface, with the same port.
    let other = try RunningProgram(
      "python3", [script, "--address", "127.0.0.2", "--port", "\(silent.port)"])
    #expect(try other.line() == "[\(silent.port)]")
    other.send(#"{"id": 1, "search": true}"#)
    #expect(try other.line() == #"{"done": 1}"#)
    let result = await PJLinkSearch(
      addresses: ["127.0.0.1", "127.0.0.2"], port: silent.port, localPort: 0,
      timeout: .seconds(5), probeTimeout: .seconds(10)
    ).run()
    #expect(
      result.findings.map(\.title) == [
        "Projector", "Projector \"Rück-Projektor\", PJLink class 2",
      ])
    let notes = result.findings.map { $0.notes.joined() }
    #expect(notes.first?.contains("turn network control on") == true)
    #expect(notes.last == "")
  }

  @Test("A projector that greets with an error is not said to be silent")
  func unknownGreeting() async throws {
    let projector = try await ProjectorFixture(["odd": ["refusing"], "search": true])
    let finding = try #require(await search(projector).findings.first)
    #expect(finding.notes.count == 1)
    #expect(finding.notes.first?.contains("not PJLink's greeting") == true)
  }

  @Test("The projector of the tests answers an independent client byte for byte")
  func fixture() async throws {
    let projector = try await ProjectorFixture(["search": true])
    let script = """
      import socket
      s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(20)
      s.sendto(b"%2SRCH\\r", ("127.0.0.1", \(projector.port))); print(s.recv(200))
      """
    let outcome = try await Program.tool("python3", "-c", script)
    #expect(outcome.output == "b'%2ACKN=00:1a:2B:3c:4D:5e\\r'\n", "\(outcome.errors)")
  }

  @Test(
    "Only a whole answer with a MAC address counts",
    arguments: [
      ("%2ACKN=00:1a:2B:3c:4D:5e\r", true), ("%2ACKN=00-1a-2B-3c-4D-5e", true), ("", false),
      ("%2ACKN=", false), ("%2ACKN=00:1a:2B:3c:4D:5\r", false), ("%2SRCH\r", false),
      ("%2ACKN=00:1a:2B:3c:4D:5e\r\r", false), ("%2ACKN=00:1a:2B:3c:4D:5eff\r", false),
      ("%2ACKN=zz:1a:2B:3c:4D:5e\r", false),
    ])
  func answers(text: String, isAnswer: Bool) {
    #expect(PJLinkSearch.isAnswer(Array(text.utf8)) == isAnswer)
  }

  @Test("F7 · Retained messages of mosquitto become entries")
  func broker() async throws {
    let broker = try BrokerFixture()
    for (topic, payload) in FamilyParserTests.samples {
      let outcome = try await Program.tool(
        "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-r", "-q", "1", "-t", topic,
        "-m", payload)
      #expect(outcome.status == 0, "\(outcome.errors)")
    }
    let result = await search(BrokerAddress(host: "127.0.0.1", port: broker.port))
    #expect(result.problems.isEmpty)
    #expect(result.findings.map(\.id) == FamilyParserTests.ids.map { "mqtt:\($0)" })
    let entry = try #require(result.findings.first?.entry(for: .popcornPopper))
    #expect(entry["options"]?["broker"] == broker.options)
  }

  @Test(
    "A broker with a login is searched with it, and the entry names a secret, never the password")
  func login() async throws {
    let broker = try BrokerFixture(["user": "theater", "password": "popcorn"])
    let address = BrokerAddress(host: "127.0.0.1", port: broker.port)
    let refused = await search(address)
    #expect(refused.problems.count == 1 && refused.findings.isEmpty)
    #expect(refused.problems.first?.contains("it wants a login") == true)
    let wrong = await search(address.with(user: "theater", password: "corn"))
    #expect(wrong.problems.first?.contains("refuses the user and the password") == true)
    let outcome = try await Program.tool(
      "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "-u", "theater", "-P", "popcorn",
      "-r", "-t", "tele/plug/LWT", "-m", "Online")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let found = await search(address.with(user: "theater", password: "popcorn"))
    let entry = try #require(found.findings.first?.entry(for: .popcornPopper))
    #expect(entry["options"]?["broker"]?["password"] == ["secret": "mqtt"])
    #expect(!JSON.object(entry).text().contains("\"popcorn\""))
  }

  @Test("F7 · a broker with TLS is searched when its authority is trusted, and the entry says so")
  func encrypted() async throws {
    let broker = try BrokerFixture(["tls": true])
    let ca = broker.folder + "/ca.pem"
    let outcome = try await Program.tool(
      "mosquitto_pub", "-h", "127.0.0.1", "-p", "\(broker.port)", "--cafile", ca, "-r", "-t",
      "tele/plug/LWT", "-m", "Online")
    #expect(outcome.status == 0, "\(outcome.errors)")
    func address(_ caFile: String?) -> BrokerAddress {
      BrokerAddress(host: "127.0.0.1", port: broker.port, tls: .init(caFile: caFile))
    }
    // The TLS library would wait for ever for the other end of a pipe.
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let pipe = folder.path(of: "ca.pem")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(await search(address(pipe)).problems.first?.contains("ca.pem is a pipe") == true)
    let found = await search(address(ca))
    let entry = try #require(found.findings.first?.entry(for: .popcornPopper))
    #expect(
      entry["options"]?["broker"] == [
        "host": "127.0.0.1", "port": .integer(broker.port), "tls": true, "caFile": .string(ca),
      ])
    for untrusted in [broker.folder + "/other.pem", nil] {
      let refused = await search(address(untrusted))
      #expect(refused.findings.isEmpty && refused.problems.count == 1)
      #expect(refused.problems.first?.contains("certificate verify failed") == true)
    }
    let missing = await search(address("/nowhere/ca.pem"))
    #expect(missing.problems.first?.contains("/nowhere/ca.pem cannot be read") == true)
  }

  @Test("A broker that is not there is a problem, not an error")
  func noBroker() async {
    let result = await MQTTSearch(
      broker: BrokerAddress(host: "127.0.0.1", port: 1), timeout: .seconds(2)
    ).run()
    #expect(result.findings.isEmpty && result.problems.count == 1)
    #expect(result.problems.first?.contains("127.0.0.1:1") == true)
  }
}
