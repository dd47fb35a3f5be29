import Glibc
import Platform

/// A drive for discs. The path of an image or of a DVD folder works like a drive with that disc.
///
/// A request to a drive that spins up can take seconds, so each request runs on a separate thread.
struct Drive: Sendable {
  /// The state of a drive.
  enum State: Equatable, Sendable {
    /// The drive has a readable disc. An image or a folder is always in this state.
    case disc
    /// The drive has no disc, does not exist or fails, or the path is empty.
    case noDisc
    /// The user of this process may not open the drive.
    case forbidden
    case openTray
    /// The disc spins up, or the tray moves.
    case busy
  }

  /// How long an eject is repeated while a program holds the disc. mpv still holds it for a moment after a stop.
  static let longestRelease = Duration.seconds(2)
  /// The longest wait for a drive that is busy, such as after its tray was closed.
  static let longestSpinUp = Duration.seconds(15)
  /// The hint for a user who may not open a drive. On Debian, drives belong to the group `cdrom`.
  static let permissionHint =
    "Run: sudo usermod -aG cdrom \"$USER\", then log out of the machine and in again."
  /// The time between two requests while the drive is busy or the disc is held.
  private static let interval = Duration.milliseconds(100)

  /// The path of the drive, image or folder; empty for none.
  let path: String
  private let kernel: DriveKernel

  init(_ path: String, kernel: DriveKernel = .system) {
    self.path = path
    self.kernel = kernel
  }

  /// Whether the path is a block device, not an image or a folder.
  func isDevice() async -> Bool { await SystemThread.run(name: "drive") { isBlockDevice } }

  /// Returns the present state.
  func state() async -> State { await SystemThread.run(name: "drive") { currentState } }

  /// Waits until the drive is no longer busy, at most until `deadline`, and returns its state.
  func settledState(until deadline: Duration, on clock: any TheaterClock) async -> State {
    while true {
      let state = await state()
      guard state == .busy, clock.now() < deadline,
        (try? await clock.sleep(until: clock.now() + Self.interval)) != nil
      else { return state }
    }
  }

  /// Closes the tray of a device, waits until the drive is no longer busy, at most until `deadline`, and returns its
  /// state. A tray without a motor stays open.
  func closeTray(until deadline: Duration, on clock: any TheaterClock) async -> State {
    _ = await ask(.closeTray)
    return await settledState(until: deadline, on: clock)
  }

  /// Unlocks and opens the tray of a device.
  ///
  /// - Throws: The error of the system, `EBUSY` if a program still holds the disc after ``longestRelease``.
  func eject(on clock: any TheaterClock) async throws(SystemError) {
    let deadline = clock.now() + Self.longestRelease
    while true {
      // The result does not matter: a drive without a lock refuses this request.
      _ = await ask(.unlockDoor)
      do throws(SystemError) {
        _ = try await ask(.eject).get()
        return
      } catch {
        guard error.code == EBUSY, clock.now() < deadline,
          (try? await clock.sleep(until: clock.now() + Self.interval)) != nil
        else { throw error }
      }
    }
  }

  private func ask(_ request: DriveKernel.Request) async -> Result<Int32, SystemError> {
    await SystemThread.run(name: "drive") { kernel.ask(path, request) }
  }

  private var isBlockDevice: Bool { !path.isEmpty && kernel.isDevice(path) }

  /// The present state. Blocks.
  var currentState: State {
    guard !path.isEmpty, access(path, F_OK) == 0 else { return .noDisc }
    guard isBlockDevice else { return .disc }
    switch kernel.ask(path, .state) {
    case .success(DriveKernel.disc): return .disc
    case .success(DriveKernel.openTray): return .openTray
    case .success(DriveKernel.notReady): return .busy
    case .failure(let error) where error.code == EACCES || error.code == EPERM: return .forbidden
    default: return .noDisc
    }
  }
}

/// The kernel's interface to drives, which tests replace. Its functions block.
struct DriveKernel: Sendable {
  /// A request of the CD-ROM interface (linux/cdrom.h).
  enum Request: UInt, Sendable {
    case eject = 0x5309
    case closeTray = 0x5319
    case state = 0x5326
    /// `CDROM_LOCKDOOR` with the argument 0.
    case unlockDoor = 0x5329
  }

  /// Answers to `state` (`CDS_TRAY_OPEN`, `CDS_DRIVE_NOT_READY` and `CDS_DISC_OK`).
  static let openTray: Int32 = 2
  static let notReady: Int32 = 3
  static let disc: Int32 = 4

  /// Whether a path is a block device.
  let isDevice: @Sendable (_ path: String) -> Bool
  /// Sends a request to the drive at a path.
  let ask: @Sendable (_ path: String, Request) -> Result<Int32, SystemError>

  /// The kernel of this machine.
  static let system = DriveKernel(
    isDevice: { path in
      var facts = Glibc.stat()
      return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFBLK
    },
    ask: { path, request in
      let device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      guard device >= 0 else { return .failure(SystemError(errno)) }
      defer { close(device) }
      let answer = ioctl(device, request.rawValue, 0)
      return answer < 0 ? .failure(SystemError(errno)) : .success(answer)
    })
}
