import Glibc

/// Everything that an open file has; `nil` on an error or beyond `limit` bytes.
func contents(of file: Int32, atMost limit: Int) -> [UInt8]? {
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 16 * 1024)
  while true {
    let count = read(file, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    guard count >= 0, bytes.count + count <= limit else { return nil }
    if count == 0 { return bytes }
    bytes.append(contentsOf: chunk[..<count])
  }
}
