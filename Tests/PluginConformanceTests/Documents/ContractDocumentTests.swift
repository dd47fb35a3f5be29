import Devices
import Foundation
import JSON
import PluginConformance
import PluginProtocol
import TestSupport
import Testing
import TheaterConfiguration

@Suite("F1 · docs/plugin-protocol.md agrees with the code")
struct ContractDocumentTests {
  @Test("F1 · each example line is parsed and encoded again without loss")
  func lines() throws {
    var methods: [Int: String] = [:]
    let lines = try ContractDocument().lines()
    #expect(lines.count > 40)
    for line in lines {
      let message = try RPCMessage(line: line.utf8)
      #expect(try JSON(parsing: message.line().dropLast()) == JSON(parsing: line), "\(line)")
      let again = try RPCMessage(line: message.line().dropLast())
      #expect(again == message)
      switch message {
      case .request(let id, let method, let params):
        methods[id] = method
        #expect(Self.params(method, params) == params, "\(line)")
      case .notification(let method, let params):
        #expect(Self.params(method, params) == params, "\(line)")
      case .success(let id, let result):
        let method = try #require(methods[id], "an answer without its request: \(line)")
        #expect(Self.answer(method, result) == result, "\(line)")
      case .failure(_, let error):
        guard error.code == RPCError.deviceErrorCode else { continue }
        #expect(error.data?["kind"]?.string.flatMap(DeviceError.Code.init) != nil, "\(line)")
        #expect(RPCError(error.deviceError(device: "x")) == error, "\(line)")
      }
    }
  }

  @Test("F1 · the page names every method, notification, error, kind, key and variable")
  func complete() throws {
    let document = try ContractDocument()
    let messages = try document.lines().map { try RPCMessage(line: $0.utf8) }
    let methods = messages.compactMap { message -> String? in
      switch message {
      case .request(_, let method, _), .notification(let method, _): method
      case .success, .failure: nil
      }
    }
    #expect(Set(methods) == Set(PluginContract.messages.map { $0.method }))
    let words =
      DeviceError.Code.allCases.map(\.rawValue) + StateKey.allCases.map(\.rawValue)
      + CableKind.allCases.map(\.rawValue) + Provenance.allCases.map(\.rawValue)
      + LogNotification.Level.allCases.map(\.rawValue) + Manifest.allowedEnvironment
      + Power.allCases.map(\.rawValue) + Playback.Status.allCases.map(\.rawValue)
    for word in words { #expect(document.text.contains("`\(word)`"), "\(word)") }
    for code in [
      RPCError.parseErrorCode, RPCError.invalidRequestCode, RPCError.unknownMethodCode,
      RPCError.invalidParamsCode, RPCError.internalErrorCode, RPCError.deviceErrorCode,
      RPCError.versionErrorCode,
    ] { #expect(document.text.contains("| \(code) |")) }
    #expect(document.text.contains("version \(ProtocolVersion.current)"))
    #expect(ProtocolLimits.longestLine == 1_048_576 && document.text.contains("1,048,576 bytes"))
    #expect(JSON.deepestNesting == 64 && document.text.contains("64 levels"))
  }

  @Test("F1 · the manifest on the page is valid, and the lines of the self-check are parsed")
  func manifest() throws {
    let document = try ContractDocument()
    let block = try #require(document.blocks("manifest").first)
    let manifest = try Manifest(parsing: block.utf8)
    #expect(manifest.roles[.lights]?.remembers == [.brightness])
    let options = try #require(manifest.roles[.lights]?.options)
    _ = try OptionSchema.shape(options)
    let checks = document.blocks("self-check").flatMap { $0.split(separator: "\n") }
    #expect(try checks.map { try JSON(parsing: String($0))["ok"]?.bool } == [true, false])
  }

  @Test(
    "E15 F1 · the tables of messages, roles, state keys and limits on the page are those of the code"
  )
  func tables() throws {
    let tables = [
      ("roles", ContractDocument.roles()), ("values", ContractDocument.values()),
      ("limits", LimitTable.text), ("messages", PluginContract.referenceTable),
    ]
    for (part, table) in tables {
      try ProjectFile.expect(part, of: ContractDocument.path, toBe: "\n\(table)\n\n")
    }
  }

  // MARK: The codec, by method

  private static func params(_ method: String, _ params: JSON) -> JSON? {
    PluginContract.messages.first { $0.method == method }?.init(params: params)?.params
  }

  private static func answer(_ method: String, _ result: JSON) -> JSON? {
    func again<Request: PluginRequest>(_ type: Request.Type) -> JSON? {
      Request.decodeAnswer(result).map(Request.encodeAnswer)
    }
    return PluginContract.request(method).flatMap { again($0) }
  }
}
