import Glibc
import Platform
import Synchronization

@testable import MpvPlayer

/// A drive with a tray, for the kernel's interface: the path of an image is its device file.
final class FakeDrive: Sendable {
  struct State {
    /// The answers to `state`; the last one stays.
    var answers: [Int32] = [DriveKernel.disc]
    /// How many ejects are refused, because a program holds the disc.
    var busyEjects = 0
    var isLocked = false
    var hasMotor = true
    /// Whether requests wait, as while a disc spins up.
    var isHeld = false
    /// All requests but `state`, in order.
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
    // It spins up for a moment.
    case .closeTray: answers = [DriveKernel.notReady, DriveKernel.notReady, DriveKernel.disc]
    case .state: break
    }
    return .success(0)
  }
}
