import Devices
import Glibc
import JSON
import PJLink
import Platform

/// The search for projectors of PJLink class 2: a broadcast over UDP, then name and class over TCP.
package struct PJLinkSearch: DeviceSearch {
  /// PJLink's port, UDP and TCP.
  package static let port = 4352
  /// The most projectors that are asked for their names.
  static let mostProjectors = 32
  /// The most answers that are read; a broadcast may be answered by anything.
  static let mostAnswers = 1000

  package let kind = DiscoveryKind.projectors
  private let addresses: [String]?
  private let port: Int
  private let localPort: Int
  private let timeout: Duration
  private let probeTimeout: Duration

  /// - Parameters:
  ///   - addresses: IPv4 addresses to send to; the broadcast addresses of this machine's networks if `nil`.
  ///   - localPort: The port to send from. Some projectors answer to port 4352, whatever port the request came from.
  ///     If it is taken, the system chooses one.
  ///   - timeout: The time to wait for answers, and then for the names of the projectors.
  ///   - probeTimeout: The longest time to wait for one projector.
  package init(
    addresses: [String]? = nil, port: Int = Self.port, localPort: Int = Self.port,
    timeout: Duration, probeTimeout: Duration = .seconds(2)
  ) {
    self.addresses = addresses
    self.port = port
    self.localPort = localPort
    self.timeout = timeout
    self.probeTimeout = probeTimeout
  }

  package func run() async -> DiscoveryResult {
    let answers = await SearchThread.run("pjlink-search") {
      flag -> Result<[String], SystemError> in
      Result { () throws(SystemError) in
        try addresses(answeringBefore: SearchDeadline(after: timeout, or: flag))
      }
    }
    switch answers {
    case .success(let addresses):
      return DiscoveryResult(findings: await findings(at: addresses))
    case .failure(let error):
      return DiscoveryResult(
        problems: ["projectors: the network cannot be searched: \(error)"], failed: [.projectors])
    }
  }

  /// Asks all projectors at the same time, so that a silent one takes no time from the others.
  private func findings(at addresses: [String]) async -> [DiscoveryFinding] {
    await withTaskGroup(of: (index: Int, finding: DiscoveryFinding).self) { group in
      for (index, address) in addresses.enumerated() {
        group.addTask {
          (index, finding(address, await facts(of: address)))
        }
      }
      var findings: [(index: Int, finding: DiscoveryFinding)] = []
      for await finding in group { findings.append(finding) }
      return findings.sorted { $0.index < $1.index }.map(\.finding)
    }
  }

  private struct Facts {
    /// The reason why the projector cannot be asked; nil if it can.
    var failure: LinkFailure?
    var name: String?
    var pjlinkClass: Int?
  }

  /// Asks one projector for its class and name, without a password.
  private func facts(of address: String) async -> Facts {
    let clock = SystemClock()
    var link = ProjectorLink(
      host: address, port: UInt16(clamping: port),
      authentication: Authentication(password: nil, policy: .md5), clock: clock,
      limit: clock.now() + min(timeout, probeTimeout))
    defer { link.close() }
    var facts = Facts()
    do throws(LinkFailure) {
      try await link.open()
    } catch {
      facts.failure = error
      return facts
    }
    guard let answer = try? await link.ask(.query(.pjlinkClass)) else { return facts }
    if case .value(let text) = answer, let number = Int(text), (1...9).contains(number) {
      facts.pjlinkClass = number
    }
    if case .value(let text) = try? await link.ask(.query(.name)) {
      let name = text.boundedLine(maximumBytes: 64)
      facts.name = name.isEmpty ? nil : name
    }
    return facts
  }

  /// Returns the addresses that answered, each once, in ascending order.
  private func addresses(
    answeringBefore deadline: SearchDeadline
  ) throws(SystemError) -> [String] {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { throw SystemError(errno) }
    defer { close(socket) }
    var isOn: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_BROADCAST, &isOn, 4)
    if !InternetAddress("0.0.0.0", localPort).bind(socket) {
      guard InternetAddress("0.0.0.0", 0).bind(socket) else { throw SystemError(errno) }
    }
    var failure: SystemError?
    var isSent = false
    for address in addresses ?? InternetAddress.broadcastAddresses() {
      if InternetAddress(address, port).send(Self.request, over: socket) {
        isSent = true
      } else {
        failure = SystemError(errno)
      }
    }
    if let failure, !isSent { throw failure }
    return receive(socket, deadline)
  }

  private func receive(_ socket: Int32, _ deadline: SearchDeadline) -> [String] {
    var found: Set<UInt32> = []
    var answers = 0
    while answers < Self.mostAnswers, found.count < Self.mostProjectors,
      deadline.waitForInput(socket)
    {
      answers += 1
      guard let (bytes, sender) = InternetAddress.receive(socket), Self.isAnswer(bytes) else {
        continue
      }
      found.insert(sender)
    }
    return found.sorted().map(InternetAddress.text)
  }

  /// The datagram that asks for projectors: `%2SRCH` and a carriage return.
  static let request = Array("%2SRCH\r".utf8)

  /// Whether a datagram is `%2ACKN=` with a MAC address and at most a carriage return after it.
  package static func isAnswer(_ bytes: [UInt8]) -> Bool {
    let head = Array("%2ACKN=".utf8)
    guard bytes.count <= 32, bytes.starts(with: head) else { return false }
    var rest = bytes.dropFirst(head.count)
    if rest.last == 0x0D { rest = rest.dropLast() }
    let groups = rest.split(omittingEmptySubsequences: false) {
      $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "-")
    }
    return groups.count == 6
      && groups.allSatisfy { Hexadecimal.bytes(String(decoding: $0, as: UTF8.self))?.count == 1 }
  }

  private func finding(_ address: String, _ facts: Facts) -> DiscoveryFinding {
    var options: JSONObject = ["host": .string(address)]
    if port != Self.port { options["port"] = .integer(port) }
    var notes: [String] = []
    switch facts.failure {
    case nil: break
    case .passwordMissing:
      options["password"] = ["secret": "projector"]
      notes.append("The projector needs its password: store it as the secret \"projector\".")
    case .notPJLink:
      notes.append(
        "The projector's answer over TCP is not PJLink's greeting: check its network settings.")
    default:
      notes.append("The projector did not answer over TCP: turn network control on in its menu.")
    }
    var title = facts.name.map { "Projector \"\($0)\"" } ?? "Projector"
    if let number = facts.pjlinkClass { title += ", PJLink class \(number)" }
    return DiscoveryFinding(
      .projectors, id: "pjlink:\(address)", title: title, place: "network address \(address)",
      roles: [.projector], plugin: "PJLinkProjector", options: options, notes: notes)
  }
}
