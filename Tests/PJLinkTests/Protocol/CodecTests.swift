import Devices
import JSON
import Testing

@testable import PJLink

@Suite("PJLink's lines and values")
struct CodecTests {
  @Test("E15 · requests are the lines of the specification")
  func requests() throws {
    #expect(PJLinkRequest.query(.power).text == "%1POWR ?")
    #expect(PJLinkRequest.query(.filter).text == "%2FILT ?")
    #expect(PJLinkRequest.turnOn.text == "%1POWR 1")
    #expect(PJLinkRequest.turnOff.text == "%1POWR 0")
    #expect(PJLinkRequest.select(try #require(PJLinkInput("3A"))).text == "%1INPT 3A")
  }

  @Test(
    "An input has a kind from 1 to 6 and a number from 1 to Z",
    arguments: [("11", true), ("6Z", true), ("01", false), ("71", false), ("10", false)])
  func inputs(code: String, isInput: Bool) {
    #expect((PJLinkInput(code) != nil) == isInput)
    for wrong in ["", "1", "111", "1a", "é"] { #expect(PJLinkInput(wrong) == nil) }
  }

  @Test(
    "Blanks around a line and its parts have no meaning",
    arguments: [
      ("PJLINK 0 ", .noPassword), ("PJLINK 1 498e4a67 ", .salt("498e4a67")),
      ("PJLINK  1  498e4a67", .salt("498e4a67")),
      ("%1POWR=3 ", .reply(command: "POWR", .value("3"))),
      ("%1POWR= 1\t", .reply(command: "POWR", .value("1"))),
      ("%1POWR =1", .reply(command: "POWR", .value("1"))),
      ("%1POWR=ERR3 ", .reply(command: "POWR", .error(.notNow))),
      ("%1POWR=1\u{0}", .reply(command: "POWR", .value("1"))),
    ] as [(String, PJLinkLine)])
  func blanks(text: String, line: PJLinkLine) { #expect(PJLinkLine(text) == line) }

  @Test("A salt of another length than the specification's is taken as it is")
  func oddSalts() {
    #expect(PJLinkLine("PJLINK 1 498e4a6") == .salt("498e4a6"))
    #expect(PJLinkLine("PJLINK 1 498e4a6g") == .salt("498e4a6g"))
  }

  @Test("Lines are greetings, challenges, refusals and replies, in upper or lower case")
  func lines() {
    #expect(PJLinkLine("PJLINK 0") == .noPassword)
    #expect(PJLinkLine("PJLINK 1 498e4a67") == .salt("498e4a67"))
    #expect(
      PJLinkLine("PJLINK 2 " + String(repeating: "0f", count: 16))
        == .challenge(Array(repeating: 15, count: 16)))
    #expect(PJLinkLine("PJLink ErrA") == .denied)
    #expect(PJLinkLine("%1POWR=OK") == .reply(command: "POWR", .value("OK")))
    #expect(PJLinkLine("%2powr=err3") == .reply(command: "POWR", .error(.notNow)))
    #expect(PJLinkLine("%1NAME=a=b") == .reply(command: "NAME", .value("a=b")))
    #expect(PJLinkLine("%1NAME=") == .reply(command: "NAME", .value("")))
  }

  @Test(
    "Anything else is no line of PJLink",
    arguments: [
      "", " ", "=", "PJLINK", "PJLINK ", "PJLINK 3", "PJLINK 1", "PJLINK 1 \u{FFFD}",
      "PJLINK 2 00", "%1POWR 1", "%3POWR=1", "%1POW=1",
      "%1POWRR=1", "POWR=1", "SSH-2.0-OpenSSH_9.2", "\u{0}\u{FFFD}", "ÄÖ%1POWR=1",
    ])
  func foreignLines(text: String) { #expect(PJLinkLine(text) == nil) }

  @Test("Lines are the same however their bytes are split")
  func splits() {
    let stream = Array("PJLINK 0\r\r\n%1NAME=Rück\r\n%1POWR=1\n".utf8) + [0xFF, 0x0D]
    let wanted: [LineReader.Line] = [
      .text("PJLINK 0"), .text(""), .text("%1NAME=Rück"), .text("%1POWR=1"), .text("\u{FFFD}"),
    ]
    for first in 0...stream.count {
      for second in first...stream.count {
        var reader = LineReader()
        let lines =
          reader.append(stream[..<first]) + reader.append(stream[first..<second])
          + reader.append(stream[second...])
        #expect(lines == wanted)
      }
    }
  }

  @Test("A line has at most 136 bytes with its end; a longer one is reported and skipped")
  func longLines() {
    var reader = LineReader()
    let longest = String(repeating: "x", count: 135)
    #expect(reader.append((longest + "\r").utf8) == [.text(longest)])
    #expect(reader.append((longest + "x\rab\r").utf8) == [.oversized, .text("ab")])
    for _ in 0..<100 { #expect(reader.append([UInt8](repeating: 7, count: 10_000)) == []) }
    #expect(reader.append("\rab\r".utf8) == [.oversized, .text("ab")])
  }

  @Test("Values become words and numbers; values without a meaning become nil")
  func values() {
    #expect(
      ["0", "1", "2", "3", "01", "4", "-1", ""].map { PJLinkValues.power($0) }
        == [.off, .on, .cooling, .warming, .on, nil, nil, nil])
    #expect(
      ["30", "11", "21", "31", "41"].map { PJLinkValues.mute($0) }
        == ["none", "video", "audio", "video and audio", nil])
    #expect(PJLinkValues.lampHours("412 1") == [412])
    #expect(PJLinkValues.lampHours("412 1 99999 0") == [412, 99_999])
    #expect(PJLinkValues.lampHours("412") == [412] && PJLinkValues.lampHours("412 2") == [412])
    #expect(PJLinkValues.lampHours("412 1 8") == [412, 8])
    #expect(PJLinkValues.lampHours("") == [])
    for unknown in ["-1", "123456", "x"] {
      #expect(PJLinkValues.lampHours("\(unknown) 0 8 1") == [nil, 8])
    }
    #expect(PJLinkValues.inputs("11 31 3A")?.map(\.code) == ["11", "31", "3A"])
    #expect(PJLinkValues.inputs("11 99")?.map(\.code) == ["11"])
    #expect(PJLinkValues.inputs("99") == nil)
    #expect(PJLinkValues.inputs("") == nil)
  }

  @Test("E15 · the error status names each part with its level")
  func errors() throws {
    #expect(try #require(ErrorStatus("000000")).description == "none")
    let status = try #require(ErrorStatus("120012"))
    #expect(status.description == "fan warning, lamp error, filter warning, other error")
    #expect(status.errors == "lamp error, other error")
    #expect(try #require(ErrorStatus("100000")).errors == nil)
    #expect(try #require(ErrorStatus("0200x9")).description == "lamp error")
    for wrong in ["", "00000", "0000000", "------"] { #expect(ErrorStatus(wrong) == nil) }
  }

  @Test("The digests are those of the specification")
  func digests() throws {
    #expect(
      Authentication.md5(salt: "498e4a67", password: "JBMIAProjectorLink")
        == "5d8409bc1c3fa39749434aa3a5c38682")
    let client = "c14b279e603d8a5f17e849ba360f2dc5"
    #expect(
      Authentication.sha256(
        projector: try #require(Hexadecimal.bytes("3db25e10f69c47a85adb24cf361897e0")),
        client: try #require(Hexadecimal.bytes(client)), password: "JBMIAProjectorLink")
        == client + "70ab129eac6924d4c129c9c4fcf45be42e1e776325a66db67e5b6eee50f2a692")
  }
}
