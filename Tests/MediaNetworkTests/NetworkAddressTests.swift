import Testing

@testable import MediaNetwork

@Suite("Addresses in the network")
struct NetworkAddressTests {
  @Test("reads addresses, and resolves a reference against them")
  func addresses() throws {
    let plain = try #require(MediaAddress("http://Radio.example/live?a=1#top"))
    #expect(plain.host == "radio.example" && plain.port == 80 && plain.path == "/live?a=1")
    #expect(plain.authority == "radio.example" && plain.text == "http://radio.example/live?a=1")
    let full = try #require(MediaAddress("HTTPS://me:p%40ss@[2001:DB8::1]:8443"))
    #expect(full.isSecure && full.host == "2001:db8::1" && full.port == 8443 && full.path == "/")
    #expect(full.credentials == "me:p@ss" && full.authority == "[2001:db8::1]:8443")
    #expect(full.text == "https://[2001:db8::1]:8443/")
    #expect(full.url == "https://me:p%40ss@[2001:db8::1]:8443/")
    #expect(MediaAddress("http://x/a b/ü")?.path == "/a%20b/%C3%BC")
    #expect(plain.resolved("/b")?.path == "/b")
    #expect(plain.resolved("b?c")?.path == "/b?c")
    #expect(plain.resolved("?c")?.path == "/live?c")
    #expect(plain.resolved("//other/x")?.host == "other")
    #expect(plain.resolved("https://other:1/x")?.port == 1)
    #expect(full.resolved("/b")?.host == full.host)
  }

  @Test(
    "rejects texts that are no address",
    arguments: [
      "", "http://", "http:///x", "file:///x", "http://a b/", "http://x:0/", "http://x:99999/",
      "http://x/\r\nHost: y", "http://[::1/", "http://[x]/", "http://a%zz@x/", "//x/",
      "http://" + String(repeating: "x", count: 300) + "/",
    ])
  func noAddresses(text: String) { #expect(MediaAddress(text) == nil) }

  @Test("only addresses of the public Internet are public")
  func publicAddresses() {
    for text in [
      "1.1.1.1", "172.15.0.1", "172.32.0.1", "223.255.255.255", "2a00:1450::1",
      "::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2001:4860::1",
    ] {
      #expect(NetworkAddress(text)?.isPublic == true, "\(text)")
    }
    for text in [
      "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1",
      "172.31.255.255", "192.168.1.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
      "::", "::1", "fe80::1", "fd00::1", "ff02::1", "2001:db8::1", "2002:a00:1::1", "2001::1",
      "::ffff:10.0.0.1", "64:ff9b::127.0.0.1", "64:ff9b:1::8.8.8.8", "::127.0.0.1",
      "::ffff:0:127.0.0.1", "::ffff:7f00:1", "fec0::1",
    ] {
      #expect(NetworkAddress(text)?.isPublic == false, "\(text)")
    }
    #expect(NetworkAddress("localhost") == nil)
  }

  @Test(
    "other spellings of an address of this machine are resolved to it",
    arguments: ["127.0.0.1", "localhost", "127.1", "0x7f.1", "2130706433", "017700000001", "::1"])
  func spellings(host: String) {
    let addresses = NetworkAddress.all(of: host)
    #expect(!addresses.isEmpty)
    #expect(addresses.allSatisfy { !$0.isPublic })
  }

  @Test("the configured server may be private; any other server must be public")
  func rule() throws {
    let inside = try #require(NetworkAddress("192.168.1.9"))
    let outside = try #require(NetworkAddress("1.1.1.1"))
    let nas = ConnectionRule.Server(host: "nas", port: 80)
    let rule = ConnectionRule(configured: nas)
    #expect(rule.allows(nas, at: [inside]))
    #expect(rule.allows(ConnectionRule.Server(host: "nas", port: 443), at: [inside]))
    #expect(!rule.allows(ConnectionRule.Server(host: "nas", port: 8123), at: [inside]))
    #expect(!rule.allows(ConnectionRule.Server(host: "router", port: 80), at: [inside]))
    #expect(rule.allows(ConnectionRule.Server(host: "cdn", port: 80), at: [outside]))
    // A name with one public and one private address could lead anywhere.
    #expect(!rule.allows(ConnectionRule.Server(host: "cdn", port: 80), at: [outside, inside]))
    let other = ConnectionRule(configured: ConnectionRule.Server(host: "nas", port: 8000))
    #expect(!other.allows(ConnectionRule.Server(host: "nas", port: 443), at: [inside]))
  }
}
