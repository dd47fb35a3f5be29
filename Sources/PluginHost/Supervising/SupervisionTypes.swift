import Devices
import PluginProtocol

extension Supervision {
  /// The phase in the life of a plugin process.
  package enum Phase: Sendable, Hashable {
    /// Known, not started.
    case discovered
    /// Started; it has not answered `initialize`.
    case spawned
    /// It speaks our version; its devices are being opened.
    case handshaken
    /// It has answered `open` for every device, but none is open.
    case configured
    /// At least one device is open.
    case running
    /// Ending, on request or because of the failure.
    case stopping(Failure?)
    /// Ended on request.
    case stopped
    /// Ended by a failure, with the time of the next attempt; `nil` waits until a file has changed.
    case failed(Failure, retryAt: Duration?)
  }

  /// The reason why a process is not running.
  package struct Failure: Error, Sendable, Hashable {
    /// The kind of a failure; it decides whether another try can help.
    package enum Cause: String, Sendable, Hashable {
      /// The program could not be started.
      case load
      /// Another major version, or another plugin than the manifest says.
      case version
      /// No device could be opened with its options.
      case configuration
      /// Its self-check reports that something is missing on this machine.
      case selfCheck
      /// It ended, hung or sent invalid lines.
      case crash
    }
    /// The kind of failure.
    package let cause: Cause
    /// The description of the failure, and the next action where it is known.
    package let message: String

    package init(_ cause: Cause, _ message: String) {
      self.cause = cause
      self.message = message
    }
  }

  /// An event that supervision reacts to.
  package enum Input: Sendable {
    case start
    /// The process has been started.
    case spawned
    /// The program could not be started, with the reason.
    case spawnFailed(String)
    /// The answer to `initialize`.
    case initialized(InitializeRequest.Answer)
    /// `initialize` was refused, or not answered in time.
    case initializeFailed(Failure)
    /// The plugin has opened the device.
    case opened(DeviceID)
    /// The plugin could not open the device; the error says why.
    case refused(DeviceID, DeviceError)
    /// The process is to serve these devices, too.
    case added([DeviceID])
    /// The process is not to serve these devices any more.
    case removed([DeviceID])
    /// The plugin has closed the device.
    case closed(DeviceID)
    /// A device was not closed, with the reason.
    case closeFailed(String)
    /// The process sent a line that is no message, with the reason. Too many of them end it.
    case badLine(String)
    /// Its self-check says that something is missing on this machine.
    case complained(String)
    /// Its input or output has ended, usually because the process has ended.
    case outputEnded
    /// Time has passed: when the last line came, and whether a request with a deadline is open.
    case tick(lastLine: Duration, hasOpenRequests: Bool)
    /// The process has ended; `how` is "exit status 1", "signal 9 (KILL)".
    case exited(how: String)
    /// The manifest, the program or the options have changed.
    case fileChanged
    /// A request to end the process.
    case stop
  }

  /// An action for the runner, to be carried out in order.
  package enum Action: Sendable, Hashable {
    case spawn
    /// Run its self-check in parallel with its start, so that a healthy plugin starts no later.
    case check
    case initialize
    /// Open these devices; each is answered by `opened` or `refused`.
    case open([DeviceID])
    /// Close these devices; each is answered by `closed` or `closeFailed`.
    case close([DeviceID])
    case ping
    /// Ask it to shut down and close its input.
    case shutDown
    /// SIGTERM and SIGKILL, for the whole process group.
    case terminate, kill
    /// Go on as if the process had ended: SIGKILL did not end it.
    case abandon
    /// Send a tick at this time.
    case wake(Duration)
    /// The phase has changed.
    case announce(Phase)
  }

  /// The times and counts of supervision.
  package enum Limits {
    /// The longest silence of a plugin before it is pinged.
    package static let pingInterval = Duration.seconds(5)
    /// The number of unanswered pings in a row after which the process is ended.
    package static let missedPings = 2
    /// How long a process that is asked to shut down, or that has failed and gets SIGTERM, may take to end.
    package static let graceOfEnd = Duration.seconds(2)
    /// How long a process may take to end after the SIGTERM that follows an unanswered shutdown: a stop of the
    /// controller, which waits for all plugins at once, ends within 5 s.
    package static let graceOfTermination = Duration.milliseconds(500)
    /// How long after the end of its output a process may take to be gone.
    package static let graceOfExit = Duration.milliseconds(500)
    /// The time without a failure after which the next wait is the shortest again.
    package static let healthy = Duration.seconds(300)
    /// The number of lines that are no messages after which the process is ended.
    package static let badLines = ProtocolLimits.badLines
    /// The interval at which a file is checked for changes.
    package static let fileInterval = Duration.seconds(2)
  }
}
