import Glibc

/// A drive for discs, or an image or folder that stands for one.
struct Drive: Sendable {
  /// Requests of the kernel's CD-ROM interface (linux/cdrom.h).
  private static let status: UInt = 0x5326
  private static let ejectRequest: UInt = 0x5309
  private static let closeRequest: UInt = 0x5319
  private static let hasDiscStatus: Int32 = 4

  /// The path; empty for none.
  let path: String

  init(_ path: String) { self.path = path }

  /// Whether a disc can be read.
  var hasDisc: Bool {
    guard !path.isEmpty else { return false }
    var facts = Glibc.stat()
    guard stat(path, &facts) == 0 else { return false }
    guard facts.st_mode & S_IFMT == S_IFBLK else { return true }
    return ask(Self.status) == Self.hasDiscStatus
  }

  /// Opens the tray; blocks for some seconds.
  ///
  /// - Returns: False if there is a drive and it refused.
  func eject() -> Bool { !isDrive || ask(Self.ejectRequest) >= 0 }

  /// Closes the tray; blocks for some seconds.
  func closeTray() { if isDrive { _ = ask(Self.closeRequest) } }

  /// Whether this is a real drive.
  var isDrive: Bool {
    var facts = Glibc.stat()
    return !path.isEmpty && stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFBLK
  }

  private func ask(_ request: UInt) -> Int32 {
    let device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard device >= 0 else { return -1 }
    defer { close(device) }
    return ioctl(device, request, 0)
  }
}
