import Testing

@testable import WebServer

@Suite struct HostListTests {
  private let list = HostList(["theater.example.org", "TV.example", "192.0.2.9"])

  private func admits(_ text: String, standardPort: Int = 80) -> Bool {
    Authority(text).map { list.admits($0, port: 8080, standardPort: standardPort) } ?? false
  }

  @Test(
    "F5 · accepts addresses, localhost, .local and configured names as hosts",
    arguments: [
      "127.0.0.1:8080", "192.168.1.5:8080", "[::1]:8080", "[2001:DB8::7]:8080", "localhost:8080",
      "LOCALHOST:8080", "theater.local:8080", "my-box.home.local:8080", "theater.example.org",
      "theater.example.org:8080", "theater.example.org:443", "THEATER.example.org", "tv.example:1",
    ])
  func ours(host: String) { #expect(admits(host)) }

  @Test(
    "F5 · refuses every other host, however similar",
    arguments: [
      "", "evil.example", "evil.example:8080", "127.0.0.1", "127.0.0.1:80", "localhost:8081",
      "127.0.0.1.evil.example:8080", "localhost.evil.example:8080", "theater.example.org.evil:8080",
      "eviltheater.example.org", "theater.example.org.", "localhost.:8080", "0x7f000001:8080",
      "2130706433:8080", "127.1:8080", "127.0.0.01:8080", "127.0.0.1:08080x", "localhost:",
      "localhost:-1", "localhost:+8080", "localhost:99999", "localhost:8080:8080", "[::1]8080",
      "[::1", "::1", "[::1%lo]:8080", "[127.0.0.1]:8080", "local:8080", ".local:8080",
      "-x.local:8080", "evil.local.example:8080", "a@localhost:8080", "localhost/:8080",
      "localhost:8080, evil.example", " localhost:8080", "lоcalhost:8080", "192.0.2.9:9",
    ])
  func notOurs(host: String) { #expect(!admits(host)) }

  @Test("F5 · reads a host without a port as the scheme's default port")
  func standardPorts() {
    let list = HostList()
    let plain = Authority("127.0.0.1")
    #expect(plain.map { list.admits($0, port: 80, standardPort: 80) } == true)
    #expect(plain.map { list.admits($0, port: 443, standardPort: 443) } == true)
    #expect(plain.map { list.admits($0, port: 80, standardPort: 443) } == false)
  }
}
