import Accounts
import Devices
import HomeTheater
import Hummingbird
import JSON

/// What the controller knows of its own works: plugins, sound devices, the configuration.
package protocol Diagnostics: Sendable {
  /// Every plugin: `{"plugins": [{"id", "status", "pid", "restarts", "memory", "message"}]}`.
  func plugins() async -> JSON
  /// What the amplifier's plugin could play on.
  func audioDevices() async throws -> JSON
  /// What is wrong with a configuration: `{"problems": [{"line", "column", "path", …}]}`.
  func check(configuration text: [UInt8]) async -> JSON
}

extension APIServices {
  /// The works behind the scenes, and the sign of life.
  var machineryRoutes: [Route] {
    [
      .get("/api/v1/health", by: .everyone, "A sign of life, and whether every plugin is up.") {
        _ in
        var isUp = true
        for device in theater.devices.values where isUp {
          isUp = await device.snapshot().availability == .available
        }
        return Response(["status": "ok", "pluginsUp": .bool(isUp)])
      },
      .get(
        "/api/v1/address", "Where browsers find the theater, with the certificate's fingerprint."
      ) {
        _ in
        var answer = JSONObject()
        if let webAddress { answer["address"] = .string(webAddress) }
        if let certificate {
          answer["fingerprint"] = .string(certificate.current.fingerprint)
        }
        return Response(.object(answer))
      },
      .get(
        "/api/v1/plugins", by: .permitted(.operate),
        "Every plugin: whether it runs, why not, since when."
      ) { _ in
        Response(await machinery.plugins())
      },
      .get(
        "/api/v1/audio", by: .permitted(.operate), "The sound devices that the amplifier could use."
      ) { _ in
        Response(try await machinery.audioDevices())
      },
      .post(
        "/api/v1/configuration/check", by: .permitted(.administer), body: .text,
        "What is wrong with the configuration in the body."
      ) { call in
        let answer = await machinery.check(configuration: Array(call.text.readableBytesView))
        await accountService.audit.record(
          .configurationChecked, by: AuditActor(try call.principal()),
          about: "\(answer["problems"]?.array?.count ?? 0) problems")
        return Response(answer)
      },
    ]
  }
}
