import Devices

/// A check of one behaviour that docs/plugin-protocol.md requires of a plugin.
package struct ConformanceCase: Sendable {
  /// The part of a plugin that a case checks.
  package enum Scope: Sendable {
    /// The program as a whole: the case runs once.
    case plugin
    /// Roles: the case runs once for each of these roles that the plugin has.
    case roles([Role])
  }

  /// The required behaviour. Unique among all cases.
  package let name: String
  /// The sentences of the protocol that the case checks, the main one first.
  package let rules: [ProtocolRule]
  /// The part of the plugin that the case checks.
  package let scope: Scope
  /// Whether the case measures time. Its result is not reliable on an overloaded machine.
  package let isTimed: Bool
  /// Whether the case starts the program; the others read the manifest.
  package let startsProgram: Bool
  /// Whether the case runs after the others and alone. All cases open the same device, which may be real, and such a
  /// case waits until the device has done what it was told.
  package let runsAlone: Bool
  /// The longest time of the case.
  let timeLimit: Duration
  let body: @Sendable (ConformanceTrial) async throws -> Void

  init(
    _ name: String, _ rules: ProtocolRule..., scope: Scope = .roles(Role.allCases),
    isTimed: Bool = false, startsProgram: Bool = true, runsAlone: Bool = false,
    timeLimit: Duration = .seconds(90),
    _ body: @escaping @Sendable (ConformanceTrial) async throws -> Void
  ) {
    self.name = name
    self.rules = rules
    self.scope = scope
    self.isTimed = isTimed
    self.startsProgram = startsProgram
    self.runsAlone = runsAlone
    self.timeLimit = timeLimit
    self.body = body
  }

  /// Every case, in the order of the report.
  package static let all =
    handshake + badInput + devices + effects + limits + playback + pictures + levels + endings
}

/// A sentence of docs/plugin-protocol.md.
package struct ProtocolRule: Sendable, Hashable {
  /// The heading above the sentence, without its number signs.
  package let section: String
  /// The sentence, a part of it, or a part of a table row, exactly as in the document but with spaces for line
  /// breaks.
  package let sentence: String

  init(_ section: String, _ sentence: String) {
    self.section = section
    self.sentence = sentence
  }
}

/// One case with a plugin to run it on.
package struct ConformanceTrial: Sendable {
  /// The case to run.
  package let conformanceCase: ConformanceCase
  /// The plugin, with the options and the environment for its process.
  package let target: PluginTarget
  /// The role that the case checks; `nil` if it checks the program as a whole.
  package let role: Role?
  /// The roles for which the target has options.
  let roles: [Role]

  /// Returns the trials of `cases` on a plugin, in the order of the cases, each for every role in its scope.
  ///
  /// - Parameter roles: The roles to check; the plugin's other roles are left out.
  package static func all(
    _ cases: [ConformanceCase] = ConformanceCase.all, of target: PluginTarget, roles: [Role]
  ) -> [ConformanceTrial] {
    cases.flatMap { conformanceCase -> [ConformanceTrial] in
      switch conformanceCase.scope {
      case .plugin:
        [
          ConformanceTrial(
            conformanceCase: conformanceCase, target: target, role: nil, roles: roles)
        ]
      case .roles(let concerned):
        roles.filter(concerned.contains).map {
          ConformanceTrial(conformanceCase: conformanceCase, target: target, role: $0, roles: roles)
        }
      }
    }
  }

  /// Returns the role of a case whose scope is roles.
  func requireRole() throws -> RoleTarget {
    guard let role else {
      throw NotApplicable.because("the case concerns a role")
    }
    return RoleTarget(role: role, target: target)
  }

  /// Runs `body` with a new process of the plugin.
  func withProcess(_ body: (PluginClient) async throws -> Void) async throws {
    try await PluginClient.run(target, body)
  }

  /// Runs `body` with a new process that has a device `a` of the case's role open.
  func withDevice(_ body: (PluginClient, RoleTarget) async throws -> Void) async throws {
    let role = try requireRole()
    try await PluginClient.run(target) { client in
      try await client.open("a", role).result.success("open")
      try await body(client, role)
    }
  }
}
