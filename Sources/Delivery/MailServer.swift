import Accounts
import CCurl
import Foundation

/// Sends messages as e-mail through an SMTP server (RFC 5321, RFC 3207, RFC 8314).
package struct MailServer: MessageSender {
  /// The encryption of the connection.
  package enum Security: String, Sendable, CaseIterable {
    /// STARTTLS, required: port 587.
    case startTLS = "starttls"
    /// TLS from the first byte: port 465.
    case tls
    /// None: for a server on this machine.
    case none
  }

  private let host: String
  private let port: Int
  private let security: Security
  private let login: Login?
  private let from: EmailAddress
  private let trust: String?
  private let timeouts: Transfer.Timeouts

  /// The login, for a server that needs one.
  package struct Login: Sendable, Redacted {
    let user: String
    let password: String

    /// - Parameter password: Sent only over TLS, or to this machine.
    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  /// - Parameters:
  ///   - host: A name or an address, as checked by the configuration.
  ///   - trust: The path of a PEM file with authorities to trust instead of the system's.
  ///   - connect: The time until the connection is established.
  ///   - whole: The time until the server has accepted the message.
  package init(
    host: String, port: Int, security: Security, login: Login?, from: EmailAddress,
    trust: String? = nil, connect: Duration = .seconds(10), whole: Duration = .seconds(30)
  ) {
    self.host = host
    self.port = port
    self.security = security
    self.login = login
    self.from = from
    self.trust = trust
    timeouts = Transfer.Timeouts(connect: connect, whole: whole)
  }

  /// Sends a mail on the calling thread, which waits for at most the timeouts.
  /// - Throws: `deliveryUnavailable` for a phone number; `deliveryFailed`.
  package func send(_ message: AccountMessage) throws(AccountError) {
    guard case .email(let address) = message.destination else {
      throw .deliveryUnavailable(message.destination.channel)
    }
    let name = host.contains(":") ? "[\(host)]" : host
    let scheme = security == .tls ? "smtps" : "smtp"
    var transfer = try Transfer(
      to: "\(scheme)://\(name):\(port)", protocols: "smtp,smtps", timeouts: timeouts)
    if security != .none { transfer.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
    if let trust { transfer.set(CURLOPT_CAINFO, trust) }
    if let login {
      transfer.set(CURLOPT_USERNAME, login.user)
      transfer.set(CURLOPT_PASSWORD, login.password)
    }
    transfer.set(CURLOPT_MAIL_FROM, "<\(from.text)>")
    transfer.set(CURLOPT_MAIL_RCPT, ["<\(address.text)>"])
    transfer.set(CURLOPT_HTTPHEADER, headers(message.subject, to: address))
    transfer.setMail(message.text)
    let ending = transfer.perform()
    guard ending.code == CURLE_OK else {
      throw ending.failure(at: "\(name):\(port)", section: .email)
    }
  }

  /// Returns the headers. No header can be injected: both addresses are dot-atoms in ASCII
  /// (`EmailAddress`), and the subject keeps only printable ASCII.
  private func headers(_ subject: String, to address: EmailAddress) -> [String] {
    let subject = String(subject.unicodeScalars.filter { (0x20...0x7E).contains($0.value) })
    return [
      "Date: \(Self.now())", "From: <\(from.text)>", "To: <\(address.text)>", "Subject: \(subject)",
      "Message-ID: <\(UUID().uuidString.lowercased())@\(Self.host(of: from))>",
      // Prevents automatic replies (RFC 3834).
      "Auto-Submitted: auto-generated",
    ]
  }

  private static func host(of address: EmailAddress) -> Substring {
    address.text.split(separator: "@").last ?? ""
  }

  /// Returns the present time in UTC, in the format of RFC 5322, section 3.3.
  private static func now() -> String {
    var seconds = time(nil)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      let length = strftime(text.baseAddress, text.count, "%a, %d %b %Y %H:%M:%S +0000", &parts)
      return String(decoding: text.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
  }
}
