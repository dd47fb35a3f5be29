import Glibc
import Platform
import Synchronization

@testable import MpvPlayer

/// A simulated drive with a tray, in place of the kernel's interface. It accepts every path as a device file, such as
/// the path of an image.
final class FakeDrive: Sendable {
  struct State {
    /// The answers to the request `state`, in order; the last one is repeated.
    var answers: [Int32] = [DriveKernel.disc]
    /// The number of ejects that are refused with `EBUSY`, because a program holds the disc.
    var busyEjects = 0
    var isLocked = false
    var hasMotor = true
    /// Whether a closed tray has a disc that becomes readable; otherwise the drive stays busy.
    var isReadable = true
    /// The error of the system for every request; nil if the drive can be opened.
    var error: Int32?
    /// Whether requests wait until this is false, as while a disc spins up.
    var isHeld = false
    /// All requests except `state`, in order.
    var requests: [DriveKernel.Request] = []
  }

  let state: Mutex<State>

  init(_ change: (inout State) -> Void = { _ in }) {
    var start = State()
    change(&start)
    state = Mutex(start)
  }

  var requests: [DriveKernel.Request] { state.withLock(\.requests) }

  var kernel: DriveKernel {
    DriveKernel(isDevice: { _ in true }) { [self] _, request in
      while state.withLock(\.isHeld) { usleep(1000) }
      return state.withLock { $0.answer(request) }
    }
  }
}

extension FakeDrive.State {
  fileprivate mutating func answer(_ request: DriveKernel.Request) -> Result<Int32, SystemError> {
    if let error { return .failure(SystemError(error)) }
    if request == .state {
      return .success(answers.count > 1 ? answers.removeFirst() : answers[0])
    }
    requests.append(request)
    switch request {
    case .unlockDoor: isLocked = false
    case .eject where isLocked || busyEjects > 0:
      busyEjects -= 1
      return .failure(SystemError(EBUSY))
    case .eject: answers = [DriveKernel.openTray]
    case .closeTray where !hasMotor: return .failure(SystemError(ENOSYS))
    case .closeTray where !isReadable: answers = [DriveKernel.notReady]
    // The disc spins up for a moment.
    case .closeTray: answers = [DriveKernel.notReady, DriveKernel.notReady, DriveKernel.disc]
    case .state: break
    }
    return .success(0)
  }
}
