import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import JSON
import NIOCore

extension Origin {
  /// The remote address of the connection and the name of the client program. `X-Forwarded-For` and
  /// similar headers are ignored: any client can set them.
  init(of request: Request, _ context: ConnectionContext) async {
    let device = DeviceLabel.text(request.headers[.userAgent] ?? "")
    if let peer = context.peer {
      self.init(address: peer, device: device)
    } else {
      self = .terminal(user: await context.channel.peerUser(), device: device)
    }
  }
}

extension Channel {
  /// The remote address; `nil` for a Unix socket.
  var peer: String? {
    if case .unixDomainSocket? = localAddress { return nil }
    return remoteAddress?.ipAddress ?? "unknown"
  }

  /// The user of the process at the other end of a Unix socket (unix(7), `SO_PEERCRED`); `nil` if
  /// unknown.
  fileprivate func peerUser() async -> UInt32? {
    #if os(Linux)
      let options = self as? any SocketOptionProvider
      let peer: EventLoopFuture<PeerCredentials>? = options?.unsafeGetSocketOption(
        level: .socket, name: NIOBSDSocket.Option(rawValue: SO_PEERCRED))
      return try? await peer?.get().uid
    #else
      return nil
    #endif
  }
}

/// `struct ucred` of unix(7).
private struct PeerCredentials: Sendable {
  var pid: Int32 = 0
  var uid: UInt32 = 0
  var gid: UInt32 = 0
}

/// A readable name of a client device, from its User-Agent header (RFC 9110, section 10.1.5).
enum DeviceLabel {
  /// `Firefox on Android`, `theater on livingroom`, else the program's own name.
  static func text(_ userAgent: String) -> String {
    let agent = userAgent.boundedLine(maximumBytes: 400)
    if agent.hasPrefix("theater/"), let host = agent.split(separator: "(").dropFirst().first {
      return "theater on \(host.prefix { $0 != ")" })"
    }
    let words = agent.split { " ();,".contains($0) }
    func name(in signs: [(sign: String, name: String)]) -> String? {
      signs.first { sign in words.contains { $0.hasPrefix(sign.sign) } }?.name
    }
    let browser = name(in: browsers)
    let system = name(in: systems)
    switch (browser, system) {
    case (let browser?, let system?): return "\(browser) on \(system)"
    case (let browser?, nil): return browser
    case (nil, _): return String(agent.prefix { $0 != "/" && $0 != " " })
    }
  }

  // Browsers also name the ones that they resemble, so the more specific come first.
  private static let browsers = [
    (sign: "Edg", name: "Edge"), (sign: "OPR/", name: "Opera"),
    (sign: "SamsungBrowser/", name: "Samsung Internet"), (sign: "Firefox/", name: "Firefox"),
    (sign: "FxiOS/", name: "Firefox"), (sign: "CriOS/", name: "Chrome"),
    (sign: "Chrome/", name: "Chrome"), (sign: "Safari/", name: "Safari"),
  ]
  private static let systems = [
    (sign: "iPhone", name: "iPhone"), (sign: "iPad", name: "iPad"),
    (sign: "Android", name: "Android"), (sign: "Windows", name: "Windows"),
    (sign: "Macintosh", name: "Mac"), (sign: "CrOS", name: "ChromeOS"),
    (sign: "Linux", name: "Linux"),
  ]
}
