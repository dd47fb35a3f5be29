import MediaFolders
import MediaNetwork
import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// The programme that a receiver is tuned to.
enum Programme: Equatable, Sendable {
  case station(Station)
  /// Between stations.
  case noise(Band)
}

/// An event of a receiver. `number` is that of its tuning.
struct ReceiverEvent: Sendable {
  enum Kind: Sendable {
    /// Sound has begun; `kind` is the codec.
    case playing(kind: String, PCMFormat)
    /// The station's title has changed.
    case title(String?)
    /// The connection failed: the number of failures in a row, and the milliseconds until the next try.
    case lost(MediaFailure, failures: Int, retry: Int)
  }
  let number: Int
  let kind: Kind
}

/// A job for a ``ReceiverThread``.
enum ReceiverJob: Sendable {
  /// Loads libav, so that the first station starts sooner.
  case warmUp
  case tune(Programme, number: Int, section: UInt32, LibavInterrupt)
  case silence
  case quit
}

/// Decodes a station, or makes noise, into a cable, on a separate thread.
///
/// It reconnects for as long as it is tuned to a station. All methods return at once and may be called
/// from any thread.
final class Receiver: Sendable {
  /// The tuner's end of the cable.
  let source: CableSource
  /// The events, for one reader.
  let events: AsyncStream<ReceiverEvent>
  private let supply = SoundSupply()
  private let mailbox = Mailbox<ReceiverJob>()
  private let current = Mutex<(number: Int, interrupt: LibavInterrupt)>((0, LibavInterrupt()))

  /// Starts the thread. It reconnects to a station that sends nothing for `patience` milliseconds, and starts the
  /// proxy with the first station.
  init(
    retryDelay: RetryDelay = RetryDelay(), patience: UInt64 = RadioConnection.patience,
    makeProxy: @escaping @Sendable () throws(SystemError) -> MediaProxy
  ) throws(CableError) {
    source = try CableSource()
    let (events, continuation) = AsyncStream<ReceiverEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(100))
    self.events = events
    let (source, supply, mailbox) = (source, supply, mailbox)
    SystemThread.start(name: "receiver") {
      ReceiverThread(
        source: source, supply: supply, mailbox: mailbox, events: continuation,
        retryDelay: retryDelay, patience: patience, makeProxy: makeProxy
      ).run()
    }
  }

  deinit { close() }

  /// The time for which the received sound lasts: zero when all of it was heard.
  var remainingSound: Duration { supply.remaining(at: source.position) }

  /// Loads libav in the background.
  func warmUp() { mailbox.post(.warmUp) }

  /// Ends the current reception and receives `programme`.
  ///
  /// - Returns: The number of its events.
  func tune(to programme: Programme) -> Int {
    let interrupt = LibavInterrupt()
    let number = cancelReception(next: interrupt)
    let section = source.flush().section
    mailbox.post(.tune(programme, number: number, section: section, interrupt))
    return number
  }

  /// Drops the sound and closes the connection.
  func silence() {
    _ = cancelReception(next: LibavInterrupt())
    _ = source.flush()
    mailbox.post(.silence)
  }

  /// Ends the thread and the cable.
  func close() {
    _ = cancelReception(next: LibavInterrupt())
    mailbox.post(.quit)
    source.close()
  }

  /// Cancels the current reception. Returns the number of the next one, which `interrupt` cancels.
  private func cancelReception(next interrupt: LibavInterrupt) -> Int {
    current.withLock { current in
      current.interrupt.cancel()
      current = (current.number + 1, interrupt)
      return current.number
    }
  }
}
