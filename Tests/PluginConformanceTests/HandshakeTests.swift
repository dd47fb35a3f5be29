import Devices
import Foundation
import JSON
import Platform
import PluginProtocol
import Testing

@Suite("F1 · every plugin introduces itself", .timeLimit(.minutes(2)))
struct HandshakeTests {
  @Test(
    "F1 · the manifest is valid and its defaults fit its schema", arguments: PluginUnderTest.all)
  func manifest(_ plugin: PluginUnderTest) throws {
    let manifest = try plugin.manifest()
    #expect(manifest.id == plugin.name)
    #expect(manifest.protocolVersion.isCompatible(with: .current))
    for (role, offer) in manifest.roles {
      #expect(SchemaSubset.problems(in: offer.options) == [], "\(role.rawValue)")
      #expect(offer.options["type"] == "object")
      #expect(offer.remembers.isSubset(of: role.stateKeys))
    }
  }

  @Test(
    "F1 · the plugin answers with the name and version of its manifest",
    arguments: PluginUnderTest.all)
  func handshake(_ plugin: PluginUnderTest) async throws {
    let manifest = try plugin.manifest()
    try await PluginProcess.run(plugin) { client in
      let answer = try await client.ask(InitializeRequest(controller: "conformance"))
      #expect(answer.plugin == manifest.id)
      #expect(answer.pluginVersion == manifest.version)
      #expect(answer.version.isCompatible(with: .current))
    }
  }

  @Test("F1 · another major version is refused with a message", arguments: PluginUnderTest.all)
  func version(_ plugin: PluginUnderTest) async throws {
    try await PluginProcess.run(plugin) { client in
      let future = InitializeRequest(
        version: ProtocolVersion(major: ProtocolVersion.current.major + 1, minor: 0),
        controller: "conformance")
      let error = try await client.refusal(of: future)
      #expect(error.code == RPCError.versionErrorCode)
      #expect(error.message.contains(future.version.description))
    }
  }

  @Test("F1 · a newer minor version and unknown keys are taken", arguments: PluginUnderTest.all)
  func minorVersion(_ plugin: PluginUnderTest) async throws {
    try await PluginProcess.run(plugin) { client in
      let (result, _) = try await client.call(
        "initialize", ["protocol": "1.99", "controller": "conformance", "fromTheFuture": [1, 2]])
      let version = try #require(InitializeRequest.answer(try result.get())?.version)
      #expect(version.isCompatible(with: .current))
    }
  }

  @Test("F1 · --self-check prints one line of JSON and ends", arguments: PluginUnderTest.all)
  func selfCheck(_ plugin: PluginUnderTest) async throws {
    let child = try PluginProcess.start(plugin.command() + ["--self-check"])
    close(child.input)
    let output = FileHandle(fileDescriptor: child.output, closeOnDealloc: true)
    let text = String(decoding: try #require(try output.readToEnd()), as: UTF8.self)
    let status = child.wait()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count == 2 && lines.last == "", "one line with its newline: \(text)")
    let outcome = try JSON(parsing: String(lines.first ?? ""))
    let isFine = try #require(outcome["ok"]?.bool as Bool?)
    #expect((status == .exited(0)) == isFine, "it exits 0 when all is well")
    #expect(isFine || outcome["message"]?.string?.isEmpty == false)
  }

  @Test(
    "F1 · an unknown method is an error, an unknown notification is ignored",
    arguments: PluginUnderTest.all)
  func unknownMethod(_ plugin: PluginUnderTest) async throws {
    try await PluginProcess.run(plugin) { client in
      try await client.send(
        line: #"{"jsonrpc": "2.0", "method": "fromTheFuture", "params": {"a": 1}}"#)
      let (result, before) = try await client.call("levitate", [:])
      #expect(result.error?.code == RPCError.unknownMethodCode)
      #expect(before == [])
    }
  }
}

extension Result where Failure == RPCError {
  /// The error, when this is one.
  var error: RPCError? { if case .failure(let error) = self { error } else { nil } }
}

extension PluginProcess {
  /// Asks and expects a no.
  func refusal(of request: some PluginRequest) async throws -> RPCError {
    try await refusal(of: type(of: request).method, request.params)
  }

  /// Asks and expects a no.
  func refusal(of method: String, _ params: JSON) async throws -> RPCError {
    let (result, _) = try await call(method, params)
    return try #require(result.error, "\(method) \(params) was expected to be refused")
  }
}
