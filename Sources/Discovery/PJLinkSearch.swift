import Devices
import Glibc
import JSON
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
          let facts = await SearchThread.run("pjlink-probe") { flag in
            let deadline = SearchDeadline(after: min(timeout, probeTimeout), or: flag)
            return PJLinkProbe(address: address, port: port, deadline: deadline).readFacts()
          }
          return (index, finding(address, facts))
        }
      }
      var findings: [(index: Int, finding: DiscoveryFinding)] = []
      for await finding in group { findings.append(finding) }
      return findings.sorted { $0.index < $1.index }.map(\.finding)
    }
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
      deadline.wait(socket, POLLIN)
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
    guard rest.count == 17 else { return false }
    return rest.enumerated().allSatisfy { index, byte in
      index % 3 == 2
        ? byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-") : byte.isHexDigit
    }
  }

  private func finding(_ address: String, _ facts: PJLinkProbe.Facts) -> DiscoveryFinding {
    var options: JSONObject = ["host": .string(address)]
    if port != Self.port { options["port"] = .integer(port) }
    var notes: [String] = []
    switch facts.access {
    case .open: break
    case .password:
      options["password"] = ["secret": "projector"]
      notes.append("The projector needs its password: store it as the secret \"projector\".")
    case .silent:
      notes.append("The projector did not answer over TCP: turn network control on in its menu.")
    case .unknown:
      notes.append(
        "The projector's answer over TCP is not PJLink's greeting: check its network settings.")
    }
    var title = facts.name.map { "Projector \"\($0)\"" } ?? "Projector"
    if let number = facts.pjlinkClass { title += ", PJLink class \(number)" }
    return DiscoveryFinding(
      .projectors, id: "pjlink:\(address)", title: title, place: "network address \(address)",
      roles: [.projector], plugin: "PJLinkProjector", options: options, notes: notes)
  }
}

/// A request to one projector for its name and class, which are left out if it wants a password.
struct PJLinkProbe {
  enum Access {
    case open, password, silent
    /// It answers with something else than PJLink's greeting, or with an error.
    case unknown
  }

  struct Facts {
    var access = Access.silent
    var name: String?
    var pjlinkClass: Int?
  }

  /// The longest line of a reply, in bytes: the header and 128 bytes.
  static let longestLine = 160

  let address: String
  let port: Int
  let deadline: SearchDeadline

  func readFacts() -> Facts {
    var facts = Facts()
    guard let connection = LineSocket(address, port, deadline) else { return facts }
    defer { connection.close() }
    guard let greeting = connection.readLine() else { return facts }
    guard greeting == "PJLINK 0" else {
      facts.access = greeting.hasPrefix("PJLINK 1") ? .password : .unknown
      return facts
    }
    facts.access = .open
    if let value = connection.ask("%1CLSS ?"), let number = Int(value), (1...9).contains(number) {
      facts.pjlinkClass = number
    }
    if let name = connection.ask("%1NAME ?")?.boundedLine(maximumBytes: 64), !name.isEmpty,
      !name.hasPrefix("ERR")
    {
      facts.name = name
    }
    return facts
  }
}

extension LineSocket {
  /// Returns the value of a reply to a question such as `%1NAME ?`.
  fileprivate func ask(_ question: String) -> String? {
    guard send(question + "\r"), let reply = readLine() else { return nil }
    let head = question.dropLast(2) + "="
    guard reply.lowercased().hasPrefix(head.lowercased()) else { return nil }
    return String(reply.dropFirst(head.count))
  }
}

extension UInt8 {
  fileprivate var isHexDigit: Bool {
    switch UnicodeScalar(self) {
    case "0"..."9", "a"..."f", "A"..."F": true
    default: false
    }
  }
}
