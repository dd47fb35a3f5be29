import Accounts
import CCurl

/// Sends messages as SMS through an HTTP API: a URL, a method, headers and a body, with the placeholders
/// `{phone}` and `{text}`.
package struct TextMessageGateway: MessageSender, Redacted {
  private let url: MessageTemplate
  private let host: String
  private let method: String
  private let headers: [Header]
  private let body: MessageTemplate?
  private let timeouts: Transfer.Timeouts

  /// A header of the request.
  package struct Header: Sendable, Redacted {
    let name: String
    let value: String

    /// Returns nil if the name is not a token of HTTP, or the value has control characters, which
    /// could end the line.
    package init?(_ name: String, _ value: String) {
      guard !name.isEmpty, name.utf8.allSatisfy(Self.isToken),
        value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
      else { return nil }
      self.name = name
      self.value = value
    }

    /// `tchar` of RFC 9110, section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
      switch UnicodeScalar(byte) {
      case "a"..."z", "A"..."Z", "0"..."9": true
      default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
    }
  }

  /// - Parameters:
  ///   - url: `http` or `https`; values in it are percent-encoded.
  ///   - host: The host of `url`, for messages. They must not show the URL, which may contain keys.
  ///   - method: `POST`, `PUT` or `GET`.
  ///   - headers: All headers, including the `Content-Type` of a body.
  ///   - body: nil for none.
  package init(
    url: String, host: String, method: String, headers: [Header], body: MessageTemplate?,
    connect: Duration = .seconds(10), whole: Duration = .seconds(30)
  ) {
    self.url = MessageTemplate(url, escaping: .percent)
    self.host = host
    self.method = method
    self.headers = headers
    self.body = body
    timeouts = Transfer.Timeouts(connect: connect, whole: whole)
  }

  /// Makes the request on the calling thread, which waits for at most the timeouts.
  /// - Throws: `deliveryUnavailable` for an e-mail address; `deliveryFailed`, also when the gateway
  ///   answers with an error.
  package func send(_ message: AccountMessage) throws(AccountError) {
    guard case .phone(let number) = message.destination else {
      throw .deliveryUnavailable(message.destination.channel)
    }
    var transfer = try Transfer(
      to: url.filled(phone: number.text, text: message.text), protocols: "http,https",
      timeouts: timeouts)
    if let body {
      let text = body.filled(phone: number.text, text: message.text)
      transfer.set(CURLOPT_POSTFIELDSIZE, text.utf8.count)
      transfer.set(CURLOPT_COPYPOSTFIELDS, text)
    }
    transfer.set(CURLOPT_CUSTOMREQUEST, method)
    // Without "Expect: 100-continue", which would delay the request.
    transfer.set(CURLOPT_HTTPHEADER, headers.map { "\($0.name): \($0.value)" } + ["Expect:"])
    let ending = transfer.perform()
    if (200..<300).contains(ending.status) { return }
    guard ending.status == 0 else { throw Self.refused(ending.status, by: host) }
    throw ending.failure(at: host, section: .sms)
  }

  private static func refused(_ status: Int, by host: String) -> AccountError {
    let hint =
      switch status {
      case 300..<400: "Redirections are not followed: write the final \"url\"."
      case 401, 403: "Check \"headers\" of \"sms\": the key that the gateway gave you."
      case 404, 405: "Check \"url\" and \"method\" of \"sms\"."
      case 429: "The gateway limits the number of messages: try again later."
      case 500...: "The gateway has failed: try again later."
      default: "Compare \"body\" of \"sms\" with the gateway's manual."
      }
    return .deliveryFailed("\(host) answered \(status)", hint: hint)
  }
}
