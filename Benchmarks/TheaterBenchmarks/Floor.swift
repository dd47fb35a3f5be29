import CLinux
import Glibc

/// The floor under every plugin's round trip: a line to a child and a line back, parsed by hand.
enum Floor {
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

  /// The parent: how long each of `count` exchanges takes.
  static func measure(count: Int) -> [Duration] {
    var toChild: [Int32] = [0, 0]
    var fromChild: [Int32] = [0, 0]
    guard linux_pipe(&toChild) == 0, linux_pipe(&fromChild) == 0 else { return [] }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawn_file_actions_adddup2(&actions, toChild[0], 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild[1], 1)
    var child = pid_t()
    let program = strdup("/proc/self/exe")
    let mode = strdup("floor-child")
    defer {
      free(program)
      free(mode)
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = [program, mode, nil]
    guard posix_spawn(&child, "/proc/self/exe", &actions, nil, &arguments, environ) == 0 else {
      return []
    }
    close(toChild[0])
    close(fromChild[1])
    var times: [Duration] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    for id in 0..<count {
      let request =
        Array(
          #"{"jsonrpc":"2.0","id":\#(id),"method":"perform","params":{"device":"lights","command":{"dim":10}}}"#
            .utf8) + [0x0A]
      let began = ContinuousClock.now
      guard write(toChild[1], request, request.count) == request.count else { break }
      let received = read(fromChild[0], &buffer, buffer.count)
      guard received > 0, Int(decimal: identifier(in: buffer[..<received])) == id else { break }
      times.append(ContinuousClock.now - began)
    }
    close(toChild[1])
    close(fromChild[0])
    waitpid(child, nil, 0)
    return times
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
