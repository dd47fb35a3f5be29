import Accounts
import Devices
import HTTPTypes
import HomeTheater
import Hummingbird
import JSON
import NIOCore
import TheaterAPI

extension APIServices {
  /// The controller itself: health, address, plugins, configuration, and the contract.
  func respond(to endpoint: SystemEndpoint, _ request: RequestContext) async throws -> Response {
    switch endpoint {
    case .health:
      var isUp = true
      for device in theater.devices.values where isUp {
        isUp = await device.snapshot().availability == .available
      }
      return Response(["status": "ok", "pluginsUp": .bool(isUp)])
    case .openAPI: return Response(jsonText: Self.openAPIDocument)
    case .address:
      var answer = JSONObject()
      if let webAddress { answer["address"] = .string(webAddress) }
      if let certificate { answer["fingerprint"] = .string(certificate.current.fingerprint) }
      return Response(.object(answer))
    case .plugins: return Response(await diagnostics.plugins())
    case .audioDevices: return Response(try await diagnostics.audioDevices())
    case .checkConfiguration:
      let answer = await configuration.check(Array(request.text.readableBytesView))
      await accountService.audit.record(
        .configurationChecked, by: AuditActor(try request.principal()),
        about: "\(answer["problems"]?.array?.count ?? 0) problems")
      return Response(answer)
    case .configurationDifference:
      return Response(await configuration.differenceAnswer(to: nil))
    case .compareConfiguration:
      let text = Array(request.text.readableBytesView)
      return Response(await configuration.differenceAnswer(to: text))
    }
  }

  /// The text of the OpenAPI document.
  private static let openAPIDocument = ByteBuffer(string: APIContract.document.text())
}
