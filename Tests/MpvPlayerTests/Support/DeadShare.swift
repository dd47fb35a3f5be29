import Foundation
import Platform
import TestSupport
import Testing

/// A network share that can stop answering: a FUSE file system with the files of a folder. While it is dead, processes
/// that read it wait in the kernel, where no signal ends them.
struct DeadShare {
  /// Whether this machine has FUSE, and the package python3-fusepy.
  static let isInstalled =
    (try? Program.runBlocking(python, ["-c", "import fusepy"]))?.status == 0
    && access("/dev/fuse", R_OK | W_OK) == 0
  /// Why tests with a share are skipped.
  static let reason: Comment = "needs /dev/fuse and the package python3-fusepy"
  /// The interpreter of the system, which has the packages of the system.
  private static let python = "/usr/bin/python3"

  private static let program = """
    import fusepy, os, sys, threading, time
    root, mount, case = sys.argv[1:]
    alive = threading.Event()
    alive.set()

    def place(path):
        real = root
        for name in path.split("/")[1:] if case == "ignored" else []:
            names = os.listdir(real) if os.path.isdir(real) else []
            same = [other for other in names if other.lower() == name.lower()]
            real += "/" + (name if name in names or not same else same[0])
        return real if case == "ignored" else root + path

    class Share(fusepy.Operations):
        def __call__(self, name, *arguments):
            alive.wait()
            return super().__call__(name, *arguments)

        def getattr(self, path, handle=None):
            try:
                facts = os.lstat(place(path))
            except OSError as error:
                raise fusepy.FuseOSError(error.errno)
            names = "st_mode st_nlink st_size st_uid st_gid st_mtime st_ctime st_atime".split()
            return {name: getattr(facts, name) for name in names}

        def readdir(self, path, handle):
            return [".", ".."] + os.listdir(place(path))

        def open(self, path, flags):
            return os.open(place(path), flags)

        def read(self, path, size, offset, handle):
            # As slow as a network, so that no player has read a film before the share is dead.
            time.sleep(size / 400_000)
            return os.pread(handle, size, offset)

        def release(self, path, handle):
            os.close(handle)
            return 0

    def control():
        for line in sys.stdin:
            alive.clear() if line.strip() == "dead" else alive.set()
            print(line.strip(), flush=True)
        os._exit(0)

    threading.Thread(target=control, daemon=True).start()
    fusepy.FUSE(Share(), mount, foreground=True, attr_timeout=0, entry_timeout=0, direct_io=True)
    """

  /// The mount point.
  let path: String
  private let folder: TemporaryFolder
  private let server: RunningProgram

  /// Mounts the files that `fill` makes in the folder it is given.
  ///
  /// - Parameter ignoresCase: Whether it opens every spelling of a name, as exFAT and SMB do.
  init(ignoresCase: Bool = false, _ fill: (_ folder: String) throws -> Void) throws {
    folder = try TemporaryFolder()
    let (files, mount) = (folder.path(of: "remote"), folder.path(of: "share"))
    for path in [files, mount] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try fill(files)
    path = mount
    let spelling = ignoresCase ? "ignored" : "exact"
    server = try RunningProgram(Self.python, ["-u", "-c", Self.program, files, mount, spelling])
    let limit = Date(timeIntervalSinceNow: 10)
    while Date() < limit,
      (try? FileManager.default.contentsOfDirectory(atPath: mount))?.isEmpty != false
    {
      // The kernel does not report the end of a mount, so it is polled.
      usleep(10_000)
    }
  }

  /// Makes the share stop answering, or answer again.
  func set(isDead: Bool) throws {
    server.send(isDead ? "dead" : "alive")
    _ = try server.line()
  }

  /// Unmounts the share.
  func end() {
    _ = try? Program.runBlocking("umount", ["-l", path])
    server.end()
  }
}
