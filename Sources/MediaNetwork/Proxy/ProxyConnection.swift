import Glibc
import Platform

/// A connection to the proxy: one request, on a thread of its own.
struct ProxyConnection: Sendable {
  let client: Int32
  let connector: ProxyConnector
  /// Returns the access with these credentials; nil if there is none.
  let access: @Sendable (String?) -> NetworkAccess?

  /// Serves the request and closes the connection.
  func run() {
    defer { close(client) }
    guard let (head, rest) = readHead() else { return }
    let request: ProxyRequest
    do throws(NetworkAccess.Problem) {
      request = try ProxyRequest(head)
    } catch {
      // libav follows a redirect to any scheme this far.
      access(ProxyRequest.authorization(in: head))?.record(error)
      return answer("400 Bad Request: \(error.detail)")
    }
    guard let access = access(request.authorization) else {
      // libav gives up if the refusal of a request for a part does not name the part's position.
      let position = request.position.map { "Content-Range: bytes \($0)-\r\n" } ?? ""
      return answer(
        "407 Proxy Authentication Required",
        "Proxy-Authenticate: Basic realm=\"theater\"\r\n\(position)")
    }
    if request.authorization == access.listAuthorization {
      guard let address = request.address else { return answer("403 Forbidden: no tunnels") }
      let relay = SegmentRelay(client: client, access: access, limits: connector.limits)
      if let refusal = relay.serve(address, range: request.range) {
        answer("502 Bad Gateway: \(refusal)")
      }
      return
    }
    do throws(NetworkAccess.Problem) {
      let upstream = try connector.connect(
        to: request.server, by: access.rule, client: client)
      defer { close(upstream) }
      let relay = ProxyRelay(client: client, upstream: upstream, limits: connector.limits)
      if let forwarded = request.forwarded {
        relay.sendRequest(forwarded)
        relay.relayAnswer { access.record(status: $0) }
      } else {
        access.takeProblem()
        relay.relayTunnel(opening: rest)
      }
    } catch {
      access.record(error)
      answer("403 Forbidden: \(error.detail)")
    }
  }

  /// Reads the head of the request, and what came with it; nil if it is too long or too late.
  private func readHead() -> (head: [UInt8], rest: [UInt8])? {
    ProxySocket.setBlocking(client, false)
    let deadline = MonotonicClock.now + Int64(connector.limits.request) * 1_000_000
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while bytes.count < ProxyRequest.longest {
      let count = recv(client, &chunk, chunk.count, 0)
      if count > 0 {
        bytes += chunk.prefix(count)
        if let end = ProxyRequest.end(in: bytes) {
          return (Array(bytes[..<end]), Array(bytes[end...]))
        }
        continue
      }
      guard count < 0, errno == EAGAIN else { return nil }
      var entry = pollfd(fd: client, events: Int16(POLLIN), revents: 0)
      guard poll(&entry, 1, MonotonicClock().timeout(until: deadline)) > 0 else { return nil }
    }
    return nil
  }

  /// Sends an answer without a body. mpv's log shows its text.
  private func answer(_ status: String, _ fields: String = "") {
    let text = "HTTP/1.1 \(status)\r\n\(fields)Content-Length: 0\r\nConnection: close\r\n\r\n"
    ProxySocket.setBlocking(client, true)
    let bytes = Array(text.utf8)
    _ = send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    // Unread bytes would turn the end of the connection into a reset, which may overtake the answer.
    shutdown(client, Int32(SHUT_WR))
  }
}

extension NetworkAccess {
  /// Stores the problem that the status line of an answer means, if it means one.
  fileprivate func record(status line: [UInt8]) {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 1)
    guard words.count == 2, let status = Int(words[1].prefix(3)) else {
      return record(Problem("its server does not speak HTTP", hint: "Check its \"url\"."))
    }
    switch status {
    case 300..<400:
      // Counts only if no other answer follows.
      record(
        Problem(
          "its address redirects more than \(Self.mostRedirects) times, or to something that is neither "
            + "http nor https", hint: "Give the address of the stream itself."))
    case 400...:
      let text = words[1].filter { $0.isASCII && $0 >= " " }.prefix(60)
      record(
        Problem(
          "its server answered \(text)", hint: status < 500 ? "Check its \"url\"." : ""))
    default: takeProblem()
    }
  }
}

extension ProxyRequest {
  /// Returns the credentials in a head that is no valid request; nil without any.
  fileprivate static func authorization(in head: [UInt8]) -> String? {
    let mark = Array("\r\nproxy-authorization: ".utf8)
    let lower = head.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    guard let start = lower.indices.first(where: { lower[$0...].starts(with: mark) }) else {
      return nil
    }
    let value = head[(start + mark.count)...].prefix { $0 != 0x0D }
    return String(decoding: value, as: UTF8.self)
  }
}
