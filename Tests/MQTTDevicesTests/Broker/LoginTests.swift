import Devices
import Foundation
import Glibc
import JSON
import Platform
import PluginProtocol
import PluginTestSupport
import TestSupport
import Testing

@testable import MQTTDevices

@Suite("Logins, TLS and the last will", .timeLimit(.minutes(2)))
struct LoginTests {
  private func options(_ broker: BrokerFixture, _ more: JSON) -> JSON {
    var all = broker.options.object ?? [:]
    for (name, value) in more.object ?? [:] { all[name] = value }
    return .object(all)
  }

  @Test("A right password opens the connection; a wrong one is refused and shown nowhere")
  func passwords() async throws {
    let broker = try BrokerFixture(["user": "theater", "password": "correct horse"])
    let template: JSON = [
      "commands": ["on": ["topic": "p", "payload": "1"], "off": ["topic": "p", "payload": "0"]]
    ]
    let device: JSON = ["profile": "template", "template": template]
    let right = DeviceBench(
      options(broker, ["user": "theater", "password": "correct horse"]))
    #expect(await right.open(.projector, device) == nil)
    #expect(await right.perform("on") == nil)
    for login: JSON in [["user": "theater", "password": "wrong horse"], [:]] {
      let bench = DeviceBench(options(broker, login))
      let error = await bench.open(.projector, device)
      #expect(error?.kind == "refused")
      #expect(error?.message.contains("127.0.0.1:\(broker.port)") == true)
      #expect(error?.data?["hint"]?.string?.contains("password") == true)
      #expect(!(bench.log + ["\(String(describing: error))"]).contains { $0.contains("horse") })
    }
  }

  @Test("TLS works with the broker's certificate authority, and fails with another one or none")
  func encrypted() async throws {
    let broker = try BrokerFixture(["tls": true])
    let template: JSON = ["commands": ["on": ["topic": "p"], "off": ["topic": "p"]]]
    let device: JSON = ["profile": "template", "template": template]
    let ca = JSON.string(broker.folder + "/ca.pem")
    let good = DeviceBench(options(broker, ["tls": true, "caFile": ca]))
    #expect(await good.open(.projector, device) == nil)
    #expect(await good.perform("on") == nil)
    let other = JSON.string(broker.folder + "/other.pem")
    for wrong: JSON in [["tls": true, "caFile": other], ["tls": true]] {
      let error = await DeviceBench(options(broker, wrong)).open(.projector, device)
      #expect(error?.kind == "unavailable")
      #expect(
        error?.data?["hint"]?.string?.contains("certificate") == true,
        "\(wrong): \(String(describing: error))")
    }
    // Without the option, the hint does not take it as set.
    let hint = await DeviceBench(options(broker, ["tls": true])).open(.projector, device)?
      .data?["hint"]?.string
    #expect(hint?.contains("set \"broker.caFile\"") == true)
    #expect(hint?.contains("signed by \"broker.caFile\"") == false)
    let missing: JSON = ["tls": true, "caFile": "/nowhere/ca.pem"]
    let error = await DeviceBench(options(broker, missing)).open(.projector, device)
    #expect(error?.message.contains("/nowhere/ca.pem") == true)
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let pipe = folder.path(of: "ca.pem")
    #expect(mkfifo(pipe, 0o600) == 0)
    let blocked = await DeviceBench(options(broker, ["tls": true, "caFile": .string(pipe)]))
      .open(.projector, device)
    #expect(blocked?.message.contains("is a pipe") == true)
    #expect(await DeviceBench(broker.options).open(.projector, device)?.kind == "unavailable")
  }

  @Test("publishes online on the status topic, and offline after closing and after a kill")
  func will() async throws {
    let broker = try BrokerFixture()
    let template: JSON = ["commands": ["on": ["topic": "p"], "off": ["topic": "p"]]]
    let device: JSON = [
      "broker": broker.options, "profile": "template", "template": template,
    ]
    let program = Program.products.appendingPathComponent("MQTTDevices").path
    for isKilled in [false, true] {
      let child = try ChildProcess(ProgramStart(program, [], input: .pipe, output: .pipe))
      let bench = PluginBench(
        connection: StreamConnection(reading: child.output, writing: child.input))
      #expect(await bench.open("d", .projector, device) == nil)
      #expect(await eventually { (try? await status(broker)) == "online" })
      if !isKilled { #expect(await bench.close("d") == nil) }
      child.signal(SIGKILL)
      _ = child.wait()
      #expect(await eventually { (try? await status(broker)) == "offline" })
    }
  }

  /// Returns the retained message of the status topic, which mosquitto's own client reads.
  private func status(_ broker: BrokerFixture) async throws -> String {
    let outcome = try await Program.tool(
      "mosquitto_sub", "-p", "\(broker.port)", "-t", "home-theater/status", "-C", "1", "-W", "5")
    return outcome.output.split(separator: "\n").first.map(String.init) ?? ""
  }
}
