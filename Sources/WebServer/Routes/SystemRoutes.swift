import Accounts
import Devices
import Foundation
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
      return Response([
        "status": "ok", "pluginsUp": .bool(isUp),
        "needsOwner": .bool(accountService.registration.awaitsFirstOwner),
        "delivers": .array(accountService.channels.map { .string($0.key) }),
      ])
    case .openAPI: return Response(jsonText: Self.openAPIDocument)
    case .address:
      var answer = JSONObject()
      if let webAddress { answer["address"] = .string(webAddress) }
      if let certificate = certificate?.current {
        answer["fingerprint"] = .string(certificate.fingerprint)
        answer["selfSigned"] = .bool(!certificate.isOwners)
        answer["certificateExpires"] = .string(certificate.expires.ISO8601Format())
      }
      return Response(.object(answer))
    case .plugins: return Response(await diagnostics.plugins())
    case .audioDevices: return Response(try await diagnostics.audioDevices())
    case .doctor: return Response(await diagnostics.doctor())
    case .discovery: return try await searchDevices(request)
    case .configuration:
      let text = try await configuration.text()
      let hash = ContentHash(text)
      var answer = Response([
        "text": .string(String(decoding: text, as: UTF8.self)), "hash": .string(hash.text),
      ])
      answer.headers[.eTag] = hash.tag
      return answer
    case .saveConfiguration: return try await saveConfiguration(request)
    case .checkConfiguration:
      let answer = await configuration.check(Array(request.text.readableBytesView))
      await accountService.audit.record(
        .configurationChecked, by: try request.actor(),
        about: "\(answer["problems"]?.array?.count ?? 0) problems")
      return Response(answer)
    case .configurationDifference:
      return Response(await configuration.differenceAnswer(to: nil))
    case .saveSecret: return try await saveSecret(request)
    case .compareConfiguration:
      let text = Array(request.text.readableBytesView)
      return Response(await configuration.differenceAnswer(to: text))
    }
  }

  private func saveConfiguration(_ request: RequestContext) async throws -> Response {
    // The configuration names folders of programs: an open session alone does not do.
    try accountService.sessions.requireFreshProof(request.principal())
    guard let base = request.request.headers[.ifMatch] else { throw APIError.versionNeeded }
    let text = Array(request.text.readableBytesView)
    var answer = try await configuration.save(
      text, replacing: { ContentHash($0).tag == base }, by: request.theaterPrincipal())
    guard answer["changes"] != nil else {
      throw APIError.invalidConfiguration(answer["problems"]?.array ?? [])
    }
    await accountService.audit.record(
      .configurationSaved, by: try request.actor(),
      about: "\(answer["changes"]?.array?.count ?? 0) changes")
    let hash = ContentHash(text)
    answer["hash"] = .string(hash.text)
    var response = Response(.object(answer))
    response.headers[.eTag] = hash.tag
    return response
  }

  /// The text of the OpenAPI document.
  private static let openAPIDocument = ByteBuffer(string: APIContract.document.text())
}
