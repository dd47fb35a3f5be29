@testable import PluginProtocol
import Testing

@Suite("The id of a line that cannot be read")
struct MessageIDScannerTests {
  @Test(
    "finds the id of an answer whose rest is damaged, too deep or in another order",
    arguments: [
      (#"{"jsonrpc":"2.0","id":5,"result":{"items":[nonsense"#, 5),
      (#"{"id": 17 , "result": [[[[[[[["#, 17),
      (#"{"result":{"id":3,"text":"\"id\":4,{"},"id":6}"#, 6),
      (#"scanning … {"jsonrpc":"2.0","id":7,"result":{}} "#, 7),
      (#"{"jsonrpc":"2.0","id":8}"#, 8), (#"{"jsonrpc":"3","id":-9,"error":1"#, -9),
    ] as [(String, Int)])
  func found(line: String, id: Int) {
    #expect(MessageIDScanner.finding(in: Array(line.utf8)) == .answer(id))
    // The same, byte by byte.
    var scanner = MessageIDScanner()
    for byte in line.utf8 { scanner.append([byte]) }
    #expect(scanner.finding == .answer(id))
  }

  @Test(
    "finds none in a request, a notification, another text, or an id that is no whole number",
    arguments: [
      "", "nonsense", "\"id\":5", #"[{"id":5}]"#,
      #"{"jsonrpc":"2.0","id":5,"method":"x","params":"#,
      #"{"id":"5","result":1}"#, #"{"id":5.5,"result":1}"#, #"{"id":null,"error":{"code":1}}"#,
      #"{"id":99999999999999999999999,"x":1}"#, #"{"result":{"id":5}}"#, #"{"identity":5,"x":1}"#,
      "}}}{{{", #"{"id":5"#,
    ])
  func none(line: String) {
    #expect(
      MessageIDScanner.finding(in: Array(line.utf8))
        == (line.contains("method") ? .noAnswer : .unknown))
  }

  @Test("a line above the limit tells its id, wherever it stands")
  func oversized() {
    let rest = String(repeating: "x", count: ProtocolLimits.longestLine)
    for line in [#"{"id":5,"result":"\#(rest)"}"#, #"{"result":"\#(rest)","id":5}"#] {
      var findings: [UnreadableLine] = []
      var splitter = LineSplitter()
      let bytes = Array((line + "\n").utf8)
      for start in stride(from: 0, to: bytes.count, by: 70_000) {
        bytes[start..<min(start + 70_000, bytes.count)].withUnsafeBufferPointer {
          splitter.append($0) { if case .oversizedLine(_, let line) = $0 { findings.append(line) } }
        }
      }
      #expect(findings == [.answer(5)])
    }
  }
}
