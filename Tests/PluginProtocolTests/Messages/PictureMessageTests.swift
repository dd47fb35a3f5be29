import Devices
import JSON
import PluginProtocol
import Testing

@Suite("E9 · the answer to picture")
struct PictureMessageTests {
  private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF]

  @Test("a picture of any length reads back as itself", arguments: 0...8)
  func lengths(more: Int) throws {
    let bytes = Self.jpeg + (0..<more).map { UInt8(truncatingIfNeeded: 251 + $0) }
    let picture = try #require(ItemPicture(bytes))
    let result = PictureRequest.encodeAnswer(.init(picture))
    #expect(PictureRequest.decodeAnswer(result)?.picture == picture)
  }

  @Test("the largest picture fits into a line")
  func largest() throws {
    let rest = [UInt8](repeating: 0xFF, count: ItemPicture.mostBytes - 3)
    let picture = try #require(ItemPicture(Self.jpeg + rest))
    let line = RPCMessage.success(id: 1 << 50, result: PictureRequest.encodeAnswer(.init(picture)))
      .line()
    #expect(line.count < ProtocolLimits.longestLine)
    guard case .success(_, let result) = try RPCMessage(line: line.dropLast()) else {
      Issue.record("it is no answer")
      return
    }
    #expect(PictureRequest.decodeAnswer(result)?.picture == picture)
  }

  @Test("an answer without data has neither a picture nor a fault")
  func none() {
    #expect(PictureRequest.encodeAnswer(.init(nil)) == [:])
    #expect(PictureRequest.decodeAnswer(["more": 1]) == PictureRequest.Answer(nil))
  }

  @Test(
    "data that is no picture is a fault",
    arguments: [
      (5, "base64"), (.null, "base64"), ("/9j/4A=", "base64"), ("/9j/4A", "base64"),
      ("/9j*4A==", "base64"), ("/9j/4B==", "base64"), ("=9j/", "base64"), ("/9j/\n", "base64"),
      ("PHN2Zz4=", "JPEG"), ("", "JPEG"),
    ] as [(JSON, String)])
  func faults(data: JSON, fault: String) throws {
    let answer = try #require(PictureRequest.decodeAnswer(["data": data]))
    #expect(answer.picture == nil)
    #expect(answer.fault?.contains(fault) == true, "\(answer)")
  }
}
