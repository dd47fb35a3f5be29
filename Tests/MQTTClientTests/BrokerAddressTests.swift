import MQTTClient
import Testing

@Suite("Addresses of brokers")
struct BrokerAddressTests {
  @Test("A broker's name is read with and without a port")
  func addresses() {
    #expect(BrokerAddress("a.lan") == BrokerAddress(host: "a.lan"))
    #expect(BrokerAddress("a.lan:1884") == BrokerAddress(host: "a.lan", port: 1884))
    #expect(BrokerAddress("[::1]:5") == BrokerAddress(host: "::1", port: 5))
    #expect(BrokerAddress("::1") == BrokerAddress(host: "::1"))
    #expect(BrokerAddress("fe80::1%eth0") == BrokerAddress(host: "fe80::1%eth0"))
    #expect(BrokerAddress("::1")?.hostAndPort == "[::1]:1883")
    #expect(BrokerAddress("a.lan", tls: .init())?.hostAndPort == "a.lan:8883")
    #expect(BrokerAddress("a.lan:1883", tls: .init())?.hostAndPort == "a.lan:1883")
    for text in [
      "", "a b", "a:0", "a:x", "a:70000", "[::1]x", ":1", "a:b:c", "a.lan:1883:", "1:2:3", "[::1",
      "[a.lan]:5", "[a:b:c]",
    ] {
      #expect(BrokerAddress(text) == nil, "\(text)")
    }
  }

  @Test("F5 · no description and no dump of a broker shows its password")
  func hiddenPassword() {
    let broker = BrokerAddress(host: "broker.lan", user: "theater", password: "caramel corn")
    var dumped = ""
    dump([broker], to: &dumped)
    for text in ["\(broker)", "\([broker])", String(reflecting: broker), dumped] {
      #expect(text.contains("broker.lan") && !text.contains("caramel"))
    }
  }
}
