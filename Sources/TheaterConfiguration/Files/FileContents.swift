import Glibc
import Platform
import PluginProtocol

/// Returns all bytes of an open file; `nil` on an error or beyond `limit` bytes.
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

/// Returns the reason why the controller cannot read a file that the configuration names, in words
/// for people; `nil` if none is known. The check may run as another user than the controller: a
/// file that it cannot see may exist.
func fileProblem(_ path: String) -> String? {
  if access(path, F_OK) != 0, [ENOENT, ENOTDIR].contains(errno) { return "there is no \(path)" }
  return RegularFile.otherKind(at: path).map { "\(path) is \($0)" }
}

/// Returns the reason why nothing can be found in a folder, in words for people; `nil` if none is known.
package func folderProblem(_ path: String) -> String? {
  var facts = stat()
  guard stat(path, &facts) == 0 else {
    return [ENOENT, ENOTDIR].contains(errno) ? "there is no folder \(path)" : nil
  }
  return facts.st_mode & S_IFMT == S_IFDIR ? nil : "\(path) is not a folder"
}
