import CLinux
import Glibc

/// The floor under every plugin's round trip: a line to a child and a line back, parsed by hand.
struct Floor {
  private let child: pid_t
  private let toChild: Int32
  private let fromChild: Int32

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
  init?() {
    var request: [Int32] = [0, 0]
    var reply: [Int32] = [0, 0]
    guard linux_pipe(&request) == 0, linux_pipe(&reply) == 0 else { return nil }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, request[0], 0)
    posix_spawn_file_actions_adddup2(&actions, reply[1], 1)
    var child = pid_t()
    let program = strdup("/proc/self/exe")
    let mode = strdup("floor-child")
    defer {
      free(program)
      free(mode)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = [program, mode, nil]
    guard posix_spawn(&child, "/proc/self/exe", &actions, nil, &arguments, environ) == 0 else {
      return nil
    }
    close(request[0])
    close(reply[1])
    self.child = child
    toChild = request[1]
    fromChild = reply[0]
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
      guard write(toChild, request, request.count) == request.count else { break }
      let received = read(fromChild, &buffer, buffer.count)
      guard received > 0, Int(decimal: Self.identifier(in: buffer[..<received])) == id else {
        break
      }
      times.append(ContinuousClock.now - began)
    }
    return times
  }

  /// Ends the child.
  func end() {
    close(toChild)
    close(fromChild)
    waitpid(child, nil, 0)
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
