import Glibc
import Platform

/// A drive for discs, or the image or folder of a disc in its place.
///
/// A request to a drive that spins up can take seconds, so each runs on a separate thread.
struct Drive: Sendable {
  /// The state of a drive.
  enum State: Equatable, Sendable {
    /// A readable disc is in it. An image or a folder is always one.
    case disc
    case noDisc
    case openTray
    /// It spins up, or the tray moves.
    case busy
  }

  /// The time for which an eject is repeated while a program still holds the disc, as mpv does after a stop.
  static let longestRelease = Duration.seconds(2)
  /// The longest time from the closing of the tray until the disc is readable.
  static let longestSpinUp = Duration.seconds(15)
  private static let interval = Duration.milliseconds(100)

  /// The path; empty for none.
  let path: String
  private let kernel: DriveKernel

  init(_ path: String, kernel: DriveKernel = .system) {
    self.path = path
    self.kernel = kernel
  }

  /// Whether the path is a block device, not an image or a folder.
  func isDevice() async -> Bool { await SystemThread.run(name: "drive") { isBlockDevice } }

  /// Returns the state.
  func state() async -> State { await SystemThread.run(name: "drive") { currentState } }

  /// Waits until it does not spin up any more, and returns the state.
  func settledState(on clock: any TheaterClock) async -> State {
    let deadline = clock.now() + Self.longestSpinUp
    while true {
      let state = await state()
      guard state == .busy, clock.now() < deadline,
        (try? await clock.sleep(until: clock.now() + Self.interval)) != nil
      else { return state }
    }
  }

  /// Closes the tray of a device, and returns the state in which it is then. A drive without a motor stays open.
  func closeTray(on clock: any TheaterClock) async -> State {
    _ = await ask(.closeTray)
    return await settledState(on: clock)
  }

  /// Unlocks and opens the tray of a device.
  ///
  /// - Throws: The error of the system, `EBUSY` if a program holds the disc.
  func eject(on clock: any TheaterClock) async throws(SystemError) {
    let deadline = clock.now() + Self.longestRelease
    while true {
      // Fails without a lock, which is no obstacle.
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

  private var currentState: State {
    guard !path.isEmpty, access(path, F_OK) == 0 else { return .noDisc }
    guard isBlockDevice else { return .disc }
    switch kernel.ask(path, .state) {
    case .success(DriveKernel.disc): return .disc
    case .success(DriveKernel.openTray): return .openTray
    case .success(DriveKernel.notReady): return .busy
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

  /// Answers to `state`.
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
