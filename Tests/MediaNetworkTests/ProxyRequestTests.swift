import Testing

@testable import MediaNetwork

@Suite("Requests to the media proxy")
struct ProxyRequestTests {
  private func request(_ head: String) throws -> ProxyRequest { try ProxyRequest(Array(head.utf8)) }

  @Test("a request for a file is sent on with the path alone, and without the proxy's own fields")
  func get() throws {
    let request = try request(
      "GET http://Radio.example:8000/a%20b?c HTTP/1.1\r\nHost: evil\r\nRange: bytes=0-\r\n"
        + "Proxy-Authorization: Basic eA==\r\nConnection: keep-alive\r\nIcy-MetaData: 1\r\n\r\n")
    #expect(request.server == ConnectionRule.Server(host: "radio.example", port: 8000))
    #expect(request.authorization == "Basic eA==")
    let forwarded = try #require(request.forwarded)
    #expect(
      String(decoding: forwarded, as: UTF8.self)
        == "GET /a%20b?c HTTP/1.1\r\nHost: radio.example:8000\r\nRange: bytes=0-\r\n"
        + "Icy-MetaData: 1\r\nConnection: close\r\n\r\n")
  }

  @Test("a tunnel names a host and a port")
  func connect() throws {
    let tunnel = try request("CONNECT [2001:DB8::1]:443 HTTP/1.1\r\n\r\n")
    #expect(tunnel.server == ConnectionRule.Server(host: "2001:db8::1", port: 443))
    #expect(tunnel.forwarded == nil && tunnel.authorization == nil)
  }

  @Test(
    "rejects what no player sends",
    arguments: [
      "", "GET", "GET / HTTP/1.1", "GET http://x/ HTTP/2", "GET http://x/ y HTTP/1.1",
      "POST http://x/ HTTP/1.1", "CONNECT x HTTP/1.1", "CONNECT x:0 HTTP/1.1",
      "CONNECT x:99999 HTTP/1.1", "GET https://x/ HTTP/1.1", "GET file:///etc/passwd HTTP/1.1",
      "GET ftp://x/ HTTP/1.1", "GET http://x/ HTTP/1.1\r\nno colon",
      "GET http://x/\u{1} HTTP/1.1", "GET http://x/ HTTP/1.1\r\nA: \u{7F}",
      "GET http://x/ HTTP/1.1" + String(repeating: "\r\nA: b", count: 100),
    ])
  func rejected(head: String) {
    #expect(throws: NetworkAccess.Problem.self) { try request(head + "\r\n\r\n") }
  }

  @Test("finds the end of a head")
  func end() {
    #expect(ProxyRequest.end(in: Array("GET x\r\n\r\nrest".utf8)) == 9)
    #expect(ProxyRequest.end(in: Array("GET x\r\n\r".utf8)) == nil)
    #expect(ProxyRequest.end(in: []) == nil)
  }
}
