import Accounts
import CCurl

/// A section of `"delivery"` in devices.json.
enum DeliverySection: String {
  case email, sms
}

extension Transfer.TransferResult {
  /// Builds the error for the person who configures delivery.
  /// - Parameters:
  ///   - server: The server as messages show it, such as `smtp.example.org:587`.
  ///   - section: The section with the server's settings, for the hints.
  func failure(at server: String, section: DeliverySection) -> AccountError {
    let check = "Check \"\(section.rawValue)\" of \"delivery\" in devices.json"
    let isMail = section == .email
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      return .deliveryFailed(
        "the host name of \(server) was not found", hint: "\(check): the name.")
    case CURLE_COULDNT_CONNECT:
      return .deliveryFailed(
        "nothing answers at \(server)", hint: "\(check): the name and the port.")
    case CURLE_OPERATION_TIMEDOUT:
      return .deliveryFailed(
        "\(server) did not answer in time",
        hint: isMail
          ? "\(check): mail goes to port 587 with \"starttls\" or to port 465 with \"tls\"."
          : "\(check): the host and the port in \"url\".")
    case CURLE_PEER_FAILED_VERIFICATION:
      return .deliveryFailed(
        "the certificate of \(server) is not trusted",
        hint: "\(check): the name must be that in the certificate"
          + (isMail
            ? "; \"trust\" names a PEM file with your own certificate authority."
            : ", and an authority that this machine trusts must have signed it."))
    case CURLE_SSL_CACERT_BADFILE:
      return .deliveryFailed(
        "the file of trusted authorities cannot be read",
        hint: isMail
          ? "\(check): \"trust\"."
          : "Install the authorities: apt-get install ca-certificates.")
    case CURLE_USE_SSL_FAILED:
      return .deliveryFailed(
        "\(server) does not offer STARTTLS",
        hint: "\(check): \"security\" is \"tls\" for port 465.")
    case CURLE_SSL_CONNECT_ERROR:
      return .deliveryFailed(
        "the TLS handshake with \(server) failed",
        hint: isMail
          ? "\(check): \"tls\" is for port 465, \"starttls\" for port 587."
          : "\(check): whether the port in \"url\" is one for https.")
    case CURLE_LOGIN_DENIED:
      return .deliveryFailed(
        "\(server) refuses user and password", hint: "\(check): \"user\", and the secret.")
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY,
      CURLE_PARTIAL_FILE:
      return .deliveryFailed(
        status >= 400
          ? "\(server) refused the message (\(status))"
          : "\(server) closed the connection too early",
        hint: status >= 400
          ? "\(check): whether the server takes mail from \"from\"; and the recipient's address."
          : "Request the message again; if it fails again, see the server's log.")
    default:
      let words = ccurl_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
      return .deliveryFailed("\(server): \(words)", hint: "\(check).")
    }
  }
}
