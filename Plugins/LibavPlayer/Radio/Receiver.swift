import Platform
import PluginKit
import PluginProtocol
import Synchronization

/// What a receiver is tuned to.
enum Programme: Equatable, Sendable {
  case station(Station)
  /// Between stations.
  case noise(Band)
}

/// What a receiver tells. `number` is that of the tuning it belongs to.
struct ReceiverEvent: Sendable {
  enum Kind: Sendable {
    /// Sound has begun, with the kind of stream.
    case playing(kind: String, PCMFormat)
    /// What the station says it plays.
    case title(String?)
    /// The connection failed so many times in a row; the next try is so many milliseconds away.
    case lost(MediaFailure, failures: Int, retry: Int)
  }
  let number: Int
  let kind: Kind
}

/// What the receiver's thread is asked to do.
enum ReceiverJob: Sendable {
  /// Loads libav, so that the first station starts sooner.
  case warmUp
  case tune(Programme, number: Int, section: UInt32, LibavInterrupt)
  case silence
  case quit
}

/// A radio's mechanism: a thread that decodes a station, or makes noise, into a cable.
///
/// It reconnects for as long as it is tuned to a station. All methods return at once.
final class Receiver: Sendable {
  /// The tuner's end of the cable.
  let source: CableSource
  /// For one reader.
  let events: AsyncStream<ReceiverEvent>
  private let supply = SoundSupply()
  private let mailbox = Mailbox<ReceiverJob>()
  private let current = Mutex<(number: Int, interrupt: LibavInterrupt)>((0, LibavInterrupt()))

  /// Starts the thread. A station may be silent for `patience` milliseconds before it is called again.
  init(
    backoff: Backoff = Backoff(), patience: UInt64 = RadioConnection.patience
  ) throws(CableError) {
    source = try CableSource()
    let (events, continuation) = AsyncStream<ReceiverEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(100))
    self.events = events
    let (source, supply, mailbox) = (source, supply, mailbox)
    SystemThread.start(name: "receiver") {
      ReceiverThread(
        source: source, supply: supply, mailbox: mailbox, events: continuation, backoff: backoff,
        patience: patience
      ).run()
    }
  }

  deinit { close() }

  /// Whether all sound that has come was heard.
  var isOutOfSound: Bool { supply.isUsedUp(at: source.position) }

  /// Loads libav in the background.
  func warmUp() { mailbox.post(.warmUp) }

  /// Leaves what is received and receives `programme`.
  /// - Returns: the number that its events carry.
  func tune(to programme: Programme) -> Int {
    let interrupt = LibavInterrupt()
    let number = leave(for: interrupt)
    let section = source.flush().section
    mailbox.post(.tune(programme, number: number, section: section, interrupt))
    return number
  }

  /// Silence; the connection is closed.
  func silence() {
    _ = leave(for: LibavInterrupt())
    _ = source.flush()
    mailbox.post(.silence)
  }

  /// Ends the thread and the cable.
  func close() {
    _ = leave(for: LibavInterrupt())
    mailbox.post(.quit)
    source.close()
  }

  private func leave(for interrupt: LibavInterrupt) -> Int {
    current.withLock { current in
      current.interrupt.cancel()
      current = (current.number + 1, interrupt)
      return current.number
    }
  }
}
