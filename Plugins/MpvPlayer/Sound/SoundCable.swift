import Devices
import Glibc
import Platform
import Synchronization

/// The way of mpv's sound to the amplifier: a private ALSA configuration with a PCM of the type `theater`, and
/// its cable file (docs/theater-pcm.md).
///
/// A token is good for one connection, and mpv makes one for each film, format and restart. The PCM reads the
/// cable file for that; inotify tells of it, and soon after the controller is asked for the next token. So a
/// fresh token is ready before mpv needs it. Safe from any thread.
final class SoundCable: Sendable {
  /// The name of the PCM for mpv.
  static let pcm = "theater_player"
  /// Time in nanoseconds after which a request for a token is repeated.
  private static let requestInterval: Int64 = 2_000_000_000
  /// Time in nanoseconds from the reading of a token to its use: the next token makes an unused one void.
  private static let connectionTime: Int64 = 150_000_000

  /// The path of the ALSA configuration.
  var configuration: String { "\(folder)/asound.conf" }
  private let folder: String
  private let file: String
  private let changes: Int32
  private let wakeup: WakeupDescriptor
  private let request: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    /// Whether the file has a token that no connection has used.
    var isFresh = false
    /// Whether the controller has plugged the cable before.
    var wasPlugged = false
    /// When to ask for the next token; nil while there is one.
    var requestAt: Int64?
    var isClosed = false
    var waiters: [AsyncStream<Never>.Continuation] = []
  }

  /// Makes the private folder and its files.
  ///
  /// - Parameters:
  ///   - module: The path of the ALSA module of the type `theater`.
  ///   - request: Asks the controller to plug the cable again.
  init(module: String, request: @escaping @Sendable () -> Void) throws(SystemError) {
    self.request = request
    folder = try Self.makeFolder()
    file = "\(folder)/cable"
    wakeup = try WakeupDescriptor()
    changes = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    guard changes >= 0 else { throw SystemError(errno) }
    try write(Self.text(module: module, cable: file), to: configuration)
    // Empty until the first plug.
    try write("", to: file)
    guard inotify_add_watch(changes, folder, UInt32(IN_ACCESS)) >= 0 else {
      throw SystemError(errno)
    }
    SystemThread.start(name: "cable file") { self.watch() }
  }

  /// Writes the cable file anew.
  func plug(_ socket: CableSocket) throws(SystemError) {
    try write("\(socket.path)\n\(socket.token)\n", to: file)
    let waiters = state.withLock { state in
      state.isFresh = true
      state.wasPlugged = true
      state.requestAt = nil
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.finish() }
  }

  /// Waits until a fresh token lies ready, at most until `deadline`. Returns at once if there is no
  /// amplifier yet.
  func waitUntilFresh(until deadline: Duration, on clock: any TheaterClock) async {
    let (signals, signal) = AsyncStream<Never>.makeStream()
    let mustWait = state.withLock { state in
      guard state.wasPlugged, !state.isFresh, !state.isClosed else { return false }
      state.waiters.append(signal)
      return true
    }
    guard mustWait else { return }
    let timer = Task {
      try? await clock.sleep(until: deadline)
      signal.finish()
    }
    for await _ in signals {}
    timer.cancel()
  }

  /// Removes the folder.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.finish() }
    wakeup.signal()
  }

  // MARK: The thread

  private func watch() {
    defer {
      Glibc.close(changes)
      wakeup.close()
      for path in [file, configuration] { unlink(path) }
      rmdir(folder)
    }
    while !state.withLock({ $0.isClosed }) {
      let due = state.withLock(\.requestAt)
      var polled = [
        pollfd(fd: changes, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&polled, 2, due.map { MonotonicClock().timeout(until: $0) } ?? -1)
      if count > 0, polled[0].revents != 0 { readChanges() }
      if mustRequest() { request() }
    }
  }

  /// Whether the next token must be asked for now.
  private func mustRequest() -> Bool {
    state.withLock { state in
      let now = MonotonicClock.now
      guard let due = state.requestAt, due <= now else { return false }
      state.requestAt = now + Self.requestInterval
      return true
    }
  }

  /// Reads all events: each is an access to a file of the folder, which only the PCM reads.
  private func readChanges() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let name = Array("cable".utf8)
    while true {
      let count = read(changes, &buffer, buffer.count)
      guard count > 0 else { return }
      // The configuration is read too: only the cable file's name counts.
      guard buffer[..<count].firstRange(of: name) != nil else { continue }
      state.withLock { state in
        guard state.isFresh else { return }
        state.isFresh = false
        state.requestAt = MonotonicClock.now + Self.connectionTime
      }
    }
  }

  // MARK: Files

  private static func makeFolder() throws(SystemError) -> String {
    let runtime = getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? ""
    for parent in [runtime, "/tmp"] where parent.hasPrefix("/") {
      var path = Array("\(parent)/theater-mpv-XXXXXX".utf8CString)
      // Made for its owner alone.
      if mkdtemp(&path) != nil {
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    throw SystemError(errno)
  }

  /// Replaces a file at once: the PCM reads it at any time.
  private func write(_ text: String, to path: String) throws(SystemError) {
    let draft = path + ".new"
    let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw SystemError(errno) }
    defer { Glibc.close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count, rename(draft, path) == 0 else {
      throw SystemError(errno)
    }
  }

  /// The ALSA configuration: that of the machine, and the PCM.
  private static func text(module: String, cable: String) -> String {
    let given = getenv("ALSA_CONFIG_PATH").map { String(cString: $0) } ?? ""
    let base = given.isEmpty ? "/usr/share/alsa/alsa.conf" : given
    let includes = base.split(separator: ":").map { "<\($0)>\n" }.joined()
    return includes + """
      pcm_type.theater { lib \(quoted(module)) }
      pcm.\(pcm) { type plug slave.pcm { type theater cable \(quoted(cable)) wait yes } }

      """
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(escaped)\""
  }
}
