import Glibc

/// A drive for discs, or the image or folder of a disc in its place.
struct Drive: Sendable {
  /// Requests of the kernel's CD-ROM interface (linux/cdrom.h).
  private static let status: UInt = 0x5326
  private static let ejectRequest: UInt = 0x5309
  private static let hasDiscStatus: Int32 = 4

  /// The path; empty for none.
  let path: String

  init(_ path: String) { self.path = path }

  /// Whether a readable disc is in the drive, or the image or folder exists.
  var hasDisc: Bool {
    guard !path.isEmpty else { return false }
    var facts = Glibc.stat()
    guard stat(path, &facts) == 0 else { return false }
    guard facts.st_mode & S_IFMT == S_IFBLK else { return true }
    return ask(Self.status) == Self.hasDiscStatus
  }

  /// Opens the tray of a real drive. Blocks for some seconds.
  ///
  /// - Returns: False if the drive refused; true if there is no drive.
  func eject() -> Bool { !isDrive || ask(Self.ejectRequest) >= 0 }

  /// Whether the path is a block device.
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
