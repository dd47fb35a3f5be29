import JSON
import Testing

@testable import PJLink

@Suite("A conversation with a projector")
struct ConversationTests {
  private static let salt = "498e4a67"
  private static let digest = "5d8409bc1c3fa39749434aa3a5c38682"

  private func conversation(
    _ password: String? = nil, _ policy: Authentication.Policy = .auto,
    isWithoutSHA256: Bool = false
  ) -> Conversation {
    let authentication = Authentication(
      password: password, policy: policy, isWithoutSHA256: isWithoutSHA256)
    return Conversation(authentication) {
      Hexadecimal.bytes("c14b279e603d8a5f17e849ba360f2dc5") ?? []
    }
  }

  private func requestText(_ conversation: inout Conversation, _ request: PJLinkRequest) -> String?
  {
    conversation.ask(request).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("Nothing is asked before the greeting, and one command at a time")
  func order() {
    var conversation = conversation()
    #expect(conversation.ask(.turnOn) == nil)
    #expect(conversation.receive(Array("PJLINK 0\r".utf8)) == [.ready(.none)])
    #expect(requestText(&conversation, .turnOn) == "%1POWR 1\r")
    #expect(conversation.ask(.turnOff) == nil)
    #expect(conversation.receive(Array("%1POWR=OK\r".utf8)) == [.answer(.value("OK"))])
    #expect(requestText(&conversation, .query(.power)) == "%1POWR ?\r")
  }

  @Test("With MD5 the first command alone has the digest")
  func md5() {
    var conversation = conversation("JBMIAProjectorLink", .md5)
    #expect(conversation.receive(Array("PJLINK 1 \(Self.salt)\r".utf8)) == [.ready(.md5)])
    #expect(requestText(&conversation, .turnOn) == Self.digest + "%1POWR 1\r")
    _ = conversation.receive(Array("%1POWR=OK\r".utf8))
    #expect(requestText(&conversation, .turnOff) == "%1POWR 0\r")
  }

  @Test("SHA-256 is asked for first, and its proof precedes the first command alone")
  func sha256() {
    var conversation = conversation("JBMIAProjectorLink")
    #expect(
      conversation.receive(Array("PJLINK 1 \(Self.salt)\r".utf8))
        == [.send(Array("PJLINK 2\r".utf8))])
    #expect(conversation.ask(.turnOn) == nil)
    let challenge = "PJLINK 2 3db25e10f69c47a85adb24cf361897e0\r"
    #expect(conversation.receive(Array(challenge.utf8)) == [.ready(.sha256)])
    #expect(
      requestText(&conversation, .turnOn) == "c14b279e603d8a5f17e849ba360f2dc5"
        + "70ab129eac6924d4c129c9c4fcf45be42e1e776325a66db67e5b6eee50f2a692%1POWR 1\r")
    _ = conversation.receive(Array("%1POWR=OK\r".utf8))
    #expect(requestText(&conversation, .turnOff) == "%1POWR 0\r")
  }

  @Test("A projector without SHA-256 is silent, or refuses; neither counts as a wrong password")
  func withoutSHA256() {
    for answer in ["PJLINK ERRA\r", "%1ERR1=ERR1\r", nil] {
      var conversation = conversation("secret")
      _ = conversation.receive(Array("PJLINK 1 \(Self.salt)\r".utf8))
      if let answer {
        #expect(conversation.receive(Array(answer.utf8)) == [.fail(.noSHA256)])
      } else {
        #expect(conversation.endAfterTimeout() == .noSHA256)
      }
    }
    var next = conversation("secret", isWithoutSHA256: true)
    #expect(next.receive(Array("PJLINK 1 \(Self.salt)\r".utf8)) == [.ready(.md5)])
  }

  @Test("A refusal of the first command means a wrong password; a later refusal does not")
  func wrongPassword() {
    var conversation = conversation("wrong", .md5)
    _ = conversation.receive(Array("PJLINK 1 \(Self.salt)\r".utf8))
    _ = conversation.ask(.turnOn)
    #expect(conversation.receive(Array("PJLINK ERRA\r".utf8)) == [.fail(.wrongPassword)])

    var open = self.conversation()
    _ = open.receive(Array("PJLINK 0\r".utf8))
    _ = open.ask(.turnOn)
    _ = open.receive(Array("%1POWR=OK\r".utf8))
    _ = open.ask(.turnOn)
    #expect(open.receive(Array("PJLINK ERRA\r".utf8)) == [.fail(.disconnected)])
  }

  @Test("A projector that asks for a password gets no command without one")
  func passwordMissing() {
    var conversation = conversation()
    #expect(
      conversation.receive(Array("PJLINK 1 \(Self.salt)\r".utf8)) == [.fail(.passwordMissing)])
    #expect(conversation.ask(.turnOn) == nil)
  }

  @Test("With \"sha256\" the password is never proved with MD5")
  func noMD5() {
    var conversation = conversation("secret", .sha256, isWithoutSHA256: true)
    #expect(conversation.receive(Array("PJLINK 1 \(Self.salt)\r".utf8)) == [.fail(.noSHA256)])
  }

  @Test("Lines that answer no request are ignored, and too many of them end the connection")
  func garbage() {
    var conversation = conversation()
    _ = conversation.receive(Array("PJLINK 0\r".utf8))
    _ = conversation.ask(.query(.power))
    let stream =
      Array("hello\r\r\n%1INPT=31\r".utf8) + [0xFF, 0x00, 0x0D]
      + Array((String(repeating: "x", count: 500) + "\r%1POWR=3\r%1POWR=1\r").utf8)
    let actions = conversation.receive(stream)
    #expect(
      actions.filter { if case .ignored = $0 { true } else { false } }.count == 5,
      "empty lines do not count")
    #expect(actions.contains(.answer(.value("3"))))
    #expect(actions.filter { if case .answer = $0 { true } else { false } }.count == 1)

    let flood = conversation.receive(Array(String(repeating: "x\r", count: 100).utf8))
    #expect(flood.last == .fail(.flood))
    #expect(flood.count <= Conversation.mostIgnored + 1)
  }

  @Test("Nothing follows a failure, not even for lines that are too long")
  func endsOnce() {
    let long = Array((String(repeating: "x", count: 200) + "\r").utf8)
    var foreign = conversation()
    #expect(foreign.receive(Array("SSH-2.0\r".utf8) + long) == [.fail(.notPJLink("SSH-2.0"))])
    #expect(foreign.receive(long) == [])

    var flooded = conversation()
    let lines = Array(repeating: long, count: 3 * Conversation.mostIgnored).flatMap(\.self)
    let actions = flooded.receive(lines)
    #expect(actions.count == Conversation.mostIgnored + 1)
    #expect(actions.last == .fail(.flood))
  }

  @Test("The failure quotes the greeting of a server with another protocol")
  func foreign() {
    var conversation = conversation()
    #expect(
      conversation.receive(Array("SSH-2.0-OpenSSH_9.2\r\n".utf8))
        == [.fail(.notPJLink("SSH-2.0-OpenSSH_9.2"))])
  }

  @Test("A timeout names the missing greeting or reply; a later close is a lost connection")
  func failures() {
    var fresh = conversation()
    #expect(fresh.endAfterTimeout() == .noGreeting)
    var asking = conversation()
    _ = asking.receive(Array("PJLINK 0\r".utf8))
    _ = asking.ask(.turnOn)
    #expect(asking.endAfterTimeout() == .noReply("%1POWR 1"))
    #expect(asking.endAfterDisconnect() == .disconnected)
  }
}
