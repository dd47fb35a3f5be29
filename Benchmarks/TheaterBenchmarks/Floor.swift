import Glibc
import Platform

/// The floor under every plugin's round trip: a line to a child and a line back, parsed by hand.
struct Floor {
  private let child: ChildProcess
  /// The child's process id.
  var process: Int32 { child.id }

  /// The child: answers each line with its id until its input ends.
  static func serve() {
    var line = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(0, &line, line.count)
      if count <= 0 { return }
      var reply = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
      reply += identifier(in: line[..<count])
      reply += Array(",\"result\":{}}\n".utf8)
      _ = write(1, reply, reply.count)
    }
  }

  /// Starts the child.
  init() throws(SystemError) {
    child = try ChildProcess(
      ProgramStart("/proc/self/exe", ["floor-child"], input: .pipe, output: .pipe))
  }

  /// How long each of `count` exchanges takes.
  func times(_ count: Int) -> [Duration] {
    var times: [Duration] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    for id in 0..<count {
      let request =
        Array(
          #"{"jsonrpc":"2.0","id":\#(id),"method":"perform","params":{"device":"lights","command":{"dim":10}}}"#
            .utf8) + [0x0A]
      let began = ContinuousClock.now
      guard write(child.input, request, request.count) == request.count else { break }
      let received = read(child.output, &buffer, buffer.count)
      guard received > 0, Int(decimal: Self.identifier(in: buffer[..<received])) == id else {
        break
      }
      times.append(ContinuousClock.now - began)
    }
    return times
  }

  /// Ends the child.
  func end() {
    close(child.input)
    close(child.output)
    child.wait()
  }

  /// The digits after the first `"id":`.
  private static func identifier(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let key = Array(#""id":"#.utf8)
    var start = line.startIndex
    while start + key.count < line.endIndex {
      if line[start..<(start + key.count)].elementsEqual(key) {
        return line[(start + key.count)...].prefix { (0x30...0x39).contains($0) }
      }
      start += 1
    }
    return []
  }
}

extension Int {
  fileprivate init?(decimal digits: ArraySlice<UInt8>) {
    self.init(String(decoding: digits, as: UTF8.self))
  }
}
