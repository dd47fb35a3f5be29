import CLinux
import Glibc

/// What a file is, whose, and who may read it.
struct FileFacts {
  // Through C: Swift takes the type `stat` from whichever module was read first, which differs
  // between builds.
  private var facts = linux_file_facts()

  /// Of what lies at a path itself, be it a link; `nil` where nothing does.
  init?(at path: String) {
    guard linux_link_facts(path, &facts) == 0 else { return nil }
  }

  /// Of an open file, which nobody can exchange in between.
  init?(open file: Int32) {
    guard linux_open_facts(file, &facts) == 0 else { return nil }
  }

  var isFolder: Bool { facts.mode & S_IFMT == S_IFDIR }
  var isFile: Bool { facts.mode & S_IFMT == S_IFREG }
  var isSocket: Bool { facts.mode & S_IFMT == S_IFSOCK }
  var owner: uid_t { facts.owner }
  /// Whether nobody but the owner may do anything with it.
  var isPrivate: Bool { facts.mode & (S_IRWXG | S_IRWXO) == 0 }
}
