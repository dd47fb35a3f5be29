import Testing

@testable import MediaNetwork

@Suite("The check of RTSP answers")
struct RTSPFilterTests {
  private let packet: [UInt8] = [0x24, 0, 0, 4, 0x0A, 0x0A, 0x24, 0x33]

  /// Whether the bytes pass, in one piece and byte by byte.
  private func allows(_ bytes: [UInt8]) -> Bool {
    var (whole, single) = (RTSPFilter(), RTSPFilter())
    let isAllowed = whole.allows(bytes[...])
    var areAllowed = true
    for byte in bytes where areAllowed { areAllowed = single.allows([byte]) }
    #expect(isAllowed == areAllowed)
    return isAllowed
  }

  @Test("answers, requests of the server and packets pass")
  func allowed() {
    let answer =
      "RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 22\r\n\r\nRTSP/1.0 302 Moved\r\n\r\n"
    let request = "OPTIONS rtsp://x/ RTSP/1.0\r\nCSeq: 3\r\n\r\n"
    let refusal = "RTSP/1.0 401 Unauthorized\nWWW-Authenticate: Basic realm=\"x\"\n\n"
    let bytes = Array(answer.utf8) + packet + Array(request.utf8) + packet + Array(refusal.utf8)
    #expect(allows(bytes + packet))
  }

  @Test(
    "redirects do not pass, however they are hidden",
    arguments: [
      "RTSP/1.0 302 Moved\r\n", "RTSP/1.0 301\n", "\r\n\r\nRTSP/1.0 \t 305 x\r\n",
      "RTSP/1.0 200 OK\r\n\r\nRTSP/1.0 302 Moved\r\n", "RTSP/1.0\r 302 Moved\r\n",
      "RTSP/1.0 0302 Moved\r\n", "RTSP/1.0 +302 x\r\n",
      "RTSP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nxxRTSP/1.0 302 x\r\n",
      "RTSP/1.0 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
      "RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n", "RTSP/1.0 200 OK\r\n$",
      "RTSP/1.0 200 OK\r\nContent-Length: 50\r\nContent-Length: 0\r\n\r\nRTSP/1.0 302 x\r\n",
    ])
  func refused(text: String) {
    #expect(!allows(Array(text.utf8)))
    #expect(!allows(packet + Array(text.utf8)))
  }

  @Test("bounds the lines of a head")
  func bounds() {
    #expect(!allows(Array(String(repeating: "x", count: 5_000).utf8)))
    #expect(!allows(Array(("RTSP/1.0 200 OK\n" + String(repeating: "a: b\n", count: 200)).utf8)))
  }
}
