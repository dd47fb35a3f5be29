import Glibc
import Platform
import Synchronization

/// The sink's I/O: one thread that polls the listener, the connection and an event descriptor.
///
/// Safe: everything but `controls` (a Mutex) and the ring's consumer side belongs to the I/O thread
/// once `run` has started; the `let`s never change.
final class CableSinkCore: @unchecked Sendable {
  /// The settings that any thread may change.
  struct Controls {
    var token: CableToken?
    var heard: Bool
    var closed = false
  }

  /// A connection that has not presented its token yet.
  final class PendingConnection {
    let deadline: Int64
    var inbox = CableInbox(largest: CableLimit.reply)
    init(deadline: Int64) { self.deadline = deadline }
  }

  /// The most connections that may wait for their token.
  private static let pendingLimit = 4
  /// The time in which a connection must present its token, ns.
  private static let handshakeTime: Int64 = 2_000_000_000
  /// The usual time in which the audio thread must confirm a flush, ns.
  static let confirmationTime: Int64 = 100_000_000
  /// The pause after a failed accept, ns.
  static let acceptPause: Int64 = 100_000_000

  private let path: String
  private let ringTime: Int64
  private let confirmationTime: Int64
  private let ring: UnsafeMutablePointer<CableRing>
  let tap: CableTap
  private let ioEvent: WakeupDescriptor
  let audioEvent: WakeupDescriptor
  private let controls: Mutex<Controls>
  private let events: AsyncStream<CableSinkEvent>.Continuation

  private let accept: @Sendable (Int32) -> Int32?
  private let listener: Int32
  private let inode: UInt64?
  private var waiting: [Int32: PendingConnection] = [:]
  private var connection: CableSinkConnection?
  private var serial: UInt32 = 0
  private var heard: Bool
  /// The time until which the listener is not polled.
  private var acceptPauseEnd: Int64?

  init(
    path: String, token: CableToken, ring ringTime: Int64, heard: Bool,
    confirmationTime: Int64 = CableSinkCore.confirmationTime,
    events: AsyncStream<CableSinkEvent>.Continuation,
    accept: @escaping @Sendable (Int32) -> Int32? = { CableDescriptor.accept($0) }
  ) throws(CableError) {
    self.path = path
    self.ringTime = ringTime
    self.confirmationTime = confirmationTime
    self.events = events
    self.accept = accept
    self.heard = heard
    controls = Mutex(Controls(token: token, heard: heard))
    ioEvent = try .forCable()
    do throws(CableError) {
      audioEvent = try .forCable()
    } catch {
      ioEvent.close()
      throw error
    }
    do throws(CableError) {
      listener = try CableDescriptor.listen(at: path)
    } catch {
      ioEvent.close()
      audioEvent.close()
      throw error
    }
    inode = CableDescriptor.inode(at: path)
    // Room for the ring's time in the largest format; unused pages cost no memory.
    let frames = Int(Int64(CableLimit.rates.upperBound) * ringTime / 1_000_000_000) + 1
    ring = .allocate(capacity: 1)
    ring.initialize(
      to: CableRing(
        capacity: frames * 32, signalNanoseconds: min(ringTime * 2 / 3, 300_000_000),
        ioEvent: ioEvent,
        audioEvent: audioEvent))
    let own = UnsafeMutablePointer<CableConsumer>.allocate(capacity: 1)
    own.initialize(to: CableConsumer())
    tap = CableTap(ring: ring, own: own)
  }

  deinit {
    ring.deinitialize(count: 1)
    ring.deallocate()
    tap.own.deallocate()
    ioEvent.close()
    audioEvent.close()
  }

  /// Asks the I/O thread to end and removes the socket, unless another one is at its path by now.
  func close() {
    let first = controls.withLock { controls in
      defer { controls.closed = true }
      return !controls.closed
    }
    guard first else { return }
    if CableDescriptor.inode(at: path) == inode { unlink(path) }
    ioEvent.signal()
  }

  /// Changes whether the source is heard, and wakes the I/O thread if that is new.
  func setHeard(_ heard: Bool) {
    let isNew = controls.withLock { controls in
      defer { controls.heard = heard }
      return controls.heard != heard
    }
    if isNew { ioEvent.signal() }
  }

  /// Changes the controls and wakes the I/O thread.
  func changeControls(_ change: (inout Controls) -> Void) {
    controls.withLock { change(&$0) }
    ioEvent.signal()
  }

  /// The I/O thread.
  func run() {
    while true {
      let controls = controls.withLock { $0 }
      if controls.closed { break }
      if controls.heard != heard {
        heard = controls.heard
        connection?.setHeard(heard)
      }
      sendProgress()
      waitForWork()
    }
    closeConnection(CableError(.closed, "The amplifier closed the cable."))
    for descriptor in waiting.keys { Glibc.close(descriptor) }
    Glibc.close(listener)
    events.finish()
  }

  private func sendProgress() {
    guard let connection else { return }
    do throws(CableError) {
      try connection.sendProgress()
    } catch {
      closeConnection(error)
    }
  }

  private func waitForWork() {
    if let end = acceptPauseEnd, end <= MonotonicClock.now { acceptPauseEnd = nil }
    var polls = [
      pollfd(fd: ioEvent.descriptor, events: Int16(POLLIN), revents: 0),
      // `poll` ignores a negative descriptor.
      pollfd(fd: acceptPauseEnd == nil ? listener : -1, events: Int16(POLLIN), revents: 0),
    ]
    if let connection { polls.append(connection.poll) }
    for descriptor in waiting.keys {
      polls.append(pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0))
    }
    let asked = MonotonicClock.now
    _ = poll(&polls, nfds_t(polls.count), timeout)
    for entry in polls where entry.revents != 0 { handle(entry) }
    // By the time before `poll`: a token that came while this thread was held up is not late.
    expirePendingConnections(at: asked)
  }

  private var timeout: Int32 {
    let others = [connection?.deadline, acceptPauseEnd].compactMap { $0 }
    let deadline = (waiting.values.map(\.deadline) + others).min()
    return deadline.map { MonotonicClock().timeout(until: $0) } ?? -1
  }

  private func handle(_ entry: pollfd) {
    switch entry.fd {
    case ioEvent.descriptor: ioEvent.clear()
    case listener: acceptConnection()
    case connection?.descriptor: receive()
    default: receiveHello(from: entry.fd)
    }
  }

  private func receive() {
    guard let connection else { return }
    do throws(CableError) {
      try connection.receive()
    } catch {
      closeConnection(error)
    }
  }

  private func acceptConnection() {
    guard let descriptor = accept(listener) else {
      // Without a free descriptor the listener stays readable, and polling it would never wait.
      acceptPauseEnd = MonotonicClock.now + Self.acceptPause
      return
    }
    guard waiting.count < Self.pendingLimit else {
      refuse(descriptor, CableError(.refused, "Too many connections wait for their token."))
      return
    }
    waiting[descriptor] = PendingConnection(deadline: MonotonicClock.now + Self.handshakeTime)
  }

  private func expirePendingConnections(at now: Int64) {
    for (descriptor, pending) in waiting where pending.deadline <= now {
      waiting[descriptor] = nil
      refuse(descriptor, CableError(.refused, "No token came within 2 seconds."))
    }
  }

  /// Reads the first message of a pending connection.
  private func receiveHello(from descriptor: Int32) {
    guard let pending = waiting[descriptor] else { return }
    do throws(CableError) {
      guard let count = try pending.inbox.receive(from: descriptor) else { return }
      guard count > 0 else {
        throw CableError(.refused, "The connection closed before its token came.")
      }
      var hello: CableMessage?
      guard try pending.inbox.next({ message, _ in hello = message }), let hello else { return }
      guard pending.inbox.isEmpty else {
        throw CableError(.refused, "The source sent more than its token before the first credit.")
      }
      try authenticate(hello)
      waiting[descriptor] = nil
      adoptConnection(descriptor)
    } catch {
      waiting[descriptor] = nil
      refuse(descriptor, error)
    }
  }

  private func authenticate(_ message: CableMessage) throws(CableError) {
    guard case .hello(let version, let token) = message else {
      throw CableError(.refused, "The first message must be the token.")
    }
    guard version == CableMessage.version else {
      throw CableError(
        .refused,
        "The source speaks version \(version) of the cable protocol, the sink "
          + "\(CableMessage.version).")
    }
    let good = controls.withLock { controls in
      guard controls.token?.matches(token) == true else { return false }
      controls.token = nil
      return true
    }
    guard good else {
      throw CableError(.refused, "The token is wrong or was used before; ask for a new one.")
    }
  }

  private func adoptConnection(_ descriptor: Int32) {
    closeConnection(CableError(.closed, "Another source took the cable."))
    serial &+= 1
    connection = CableSinkConnection(
      descriptor: descriptor, serial: serial, ring: ring, ringTime: ringTime,
      confirmationTime: confirmationTime, heard: heard)
    events.yield(.plugged)
  }

  private func refuse(_ descriptor: Int32, _ error: CableError) {
    var outbox = CableOutbox()
    _ = outbox.send(CableMessage.close(reason: error.message).encoded, to: descriptor)
    Glibc.close(descriptor)
    events.yield(.refused(error))
  }

  private func closeConnection(_ error: CableError) {
    guard let connection else { return }
    self.connection = nil
    connection.close(error)
    events.yield(.unplugged(error))
  }
}
