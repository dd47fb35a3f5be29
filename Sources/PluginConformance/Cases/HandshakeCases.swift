import Devices
import JSON
import PluginHost
import PluginProtocol
import TheaterConfiguration

extension ConformanceCase {
  /// The cases about the manifest, `initialize`, the self-check and unknown messages.
  package static let handshake =
    manifest + [starts] + introduction + [selfCheck] + unknownMessages

  /// The case that the other cases with a process depend on.
  static let starts = ConformanceCase(
    "the program starts and answers its first request", .manifestCommand,
    .answer(to: InitializeRequest.method),
    .answeredOnce, scope: .plugin
  ) { trial in
    try await trial.withProcess { client in
      // A refusal is an answer, too; another case checks it.
      _ = try await client.call(
        InitializeRequest.method, InitializeRequest(controller: "conformance").params)
    }
  }

  /// The cases about the manifest, which start no process.
  private static let manifest = [
    ConformanceCase(
      "the manifest is named like its folder", .manifestID, scope: .plugin, startsProgram: false
    ) { trial in
      let plugin = try trial.requireTargetWithManifest()
      let folder = plugin.plugin.folder.split(separator: "/").last.map(String.init) ?? ""
      try expect(
        plugin.manifest.id == folder, "the id \"\(folder)\", as the folder is called",
        received: "\"\(plugin.manifest.id)\"")
    },
    ConformanceCase(
      "the manifest's protocol has this major version", .manifestVersion, scope: .plugin,
      startsProgram: false
    ) { trial in
      let version = try trial.requireTargetWithManifest().manifest.protocolVersion
      try expect(
        version.isCompatible(with: .current),
        "a version that fits \(ProtocolVersion.current)", received: version)
    },
    ConformanceCase(
      "the options schemas keep to the subset, and their defaults fit", .optionsSchema,
      scope: .plugin, startsProgram: false
    ) { trial in
      for (role, offer) in try trial.requireTargetWithManifest().manifest.roles {
        do throws(OptionSchemaError) {
          _ = try OptionSchema.shape(offer.options)
        } catch {
          throw ConformanceFailure(
            "the options of \(role.rawValue) as an object's schema within the subset",
            received: "\(error)")
        }
      }
    },
    ConformanceCase(
      "the manifest's \"remembers\" lists only state keys of the role", .manifestRoles,
      scope: .plugin, startsProgram: false
    ) { trial in
      for (role, offer) in try trial.requireTargetWithManifest().manifest.roles {
        let foreign = offer.remembers.subtracting(role.stateKeys)
        try expect(
          foreign.isEmpty, "keys of \(role.rawValue)",
          received: foreign.map(\.rawValue).sorted().joined(separator: ", "))
      }
    },
  ]

  /// The cases about the request `initialize`.
  private static let introduction = [
    ConformanceCase(
      "initialize is answered with the id and version of the manifest", .introduction,
      scope: .plugin
    ) { trial in
      try await trial.withProcess { client in
        let answer = try await client.ask(InitializeRequest(controller: "conformance"))
        try expect(
          answer.version.isCompatible(with: .current),
          "a version that fits \(ProtocolVersion.current)", received: answer.version,
          rule: .majorVersion)
        let manifest = try trial.requireTargetWithManifest().manifest
        try expect(
          answer.plugin == manifest.id && answer.pluginVersion == manifest.version,
          "\(manifest.id) \(manifest.version)",
          received: "\(answer.plugin) \(answer.pluginVersion)")
      }
    },
    ConformanceCase(
      "another major version is refused with a message that names it", .majorVersion,
      scope: .plugin
    ) { trial in
      try await trial.withProcess { client in
        let future = InitializeRequest(
          version: ProtocolVersion(major: ProtocolVersion.current.major + 1, minor: 0),
          controller: "conformance")
        let error = try await client.refusal(of: future)
        try expect(
          error.code == RPCError.versionErrorCode
            && error.message.contains(future.version.description),
          "error \(RPCError.versionErrorCode) with a message that names \(future.version)",
          received: error.summary)
      }
    },
    ConformanceCase(
      "a newer minor version and unknown keys are accepted", .minorVersion, .unknownNotifications,
      scope: .plugin
    ) { trial in
      try await trial.withProcess { client in
        let params: JSON = [
          "protocol": "1.99", "controller": "conformance", "fromTheFuture": [1, 2],
        ]
        let result = try await client.call("initialize", params).result.success("initialize")
        let version = InitializeRequest.decodeAnswer(result)?.version
        try expect(
          version?.isCompatible(with: .current) == true, "the plugin's own version",
          received: text(result))
      }
    },
  ]

  /// The cases about methods and notifications that the plugin does not know.
  private static let unknownMessages = [
    ConformanceCase("an unknown method is an error", .unknownMethod, scope: .plugin) { trial in
      try await trial.withProcess { client in
        let error = try await client.refusal(of: "levitate", [:])
        try expect(
          error.code == RPCError.unknownMethodCode, "error \(RPCError.unknownMethodCode)",
          received: error.summary)
      }
    },
    ConformanceCase(
      "an unknown notification is ignored", .unknownNotifications, scope: .plugin
    ) { trial in
      try await trial.withProcess { client in
        try await client.send(
          line: #"{"jsonrpc": "2.0", "method": "fromTheFuture", "params": {"a": 1}}"#)
        try await client.expectOnlyPingAnswer()
      }
    },
  ]

  private static let selfCheck = ConformanceCase(
    "--self-check prints one line of JSON and ends", .selfCheck, scope: .plugin
  ) { trial in
    let target = trial.target.with(arguments: ["--self-check"])
    try await PluginClient.run(target, mayPrintAnything: true) { client in
      await client.closeInput()
      var lines: [String] = []
      while case .invalidLine(let line) = try await client.next() { lines.append(line) }
      let outcome = lines.first.flatMap { try? JSON(parsing: $0) }
      let isPassed = try require(
        lines.count == 1 ? outcome?["ok"]?.bool : nil, "one line such as {\"ok\": true}",
        received: short(lines.joined(separator: " / ")))
      let status = try await client.exitStatus(within: ProtocolLimits.questionTime)
      try expect(
        (status == PluginClient.success) == isPassed,
        isPassed ? PluginClient.success : "another status than 0", received: status)
      try expect(
        isPassed || outcome?["message"]?.string?.isEmpty == false, "a message",
        received: text(outcome))
    }
  }
}

extension ConformanceTrial {
  /// Returns the plugin.
  /// - Throws: `NotApplicable` if it has no manifest.
  fileprivate func requireTargetWithManifest() throws -> PluginTarget {
    guard target.hasManifest else { throw NotApplicable.because("there is no manifest") }
    return target
  }
}

extension PluginClient {
  /// Sends a ping. Fails the case if any message comes before its answer.
  func expectOnlyPingAnswer() async throws {
    let (result, before) = try await call(PingRequest.method, [:])
    try result.success(PingRequest.method)
    try expect(before.isEmpty, "no other line", received: before.first.map(text) ?? "none")
  }
}

/// Returns a message as one line of JSON, at most 240 bytes.
func text(_ message: RPCMessage) -> String {
  short(String(decoding: message.line(), as: UTF8.self))
}
