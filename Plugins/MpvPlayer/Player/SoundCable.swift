import Devices
import Glibc
import Platform
import Synchronization

/// The ALSA configuration through which mpv's sound reaches the amplifier: a PCM of the type `theater` and its
/// cable file (docs/theater-pcm.md), in a private folder.
///
/// A token is valid for one connection, and mpv makes a connection for each film, format and restart. The PCM
/// reads the cable file for each connection. inotify reports that, and 150 ms later the plugin asks the controller
/// for the next token, so that a fresh token is ready before mpv needs it. Safe from any thread.
final class SoundCable: Sendable {
  /// The name of the PCM for mpv.
  static let pcm = "theater_player"
  /// The time in nanoseconds without a new token after which the request is repeated.
  private static let requestInterval: Int64 = 2_000_000_000
  /// The time in nanoseconds that the PCM has to use a token after reading it. The next token invalidates an
  /// unused one, so it is requested only then.
  private static let connectionTime: Int64 = 150_000_000

  /// The path of the ALSA configuration.
  var configuration: String { "\(folder)/asound.conf" }
  private let folder: String
  private let file: String
  private let inotify: Int32
  private let wakeup: WakeupDescriptor
  private let request: @Sendable () -> Void
  private let state = Mutex(State())

  private struct State {
    /// Whether the file has a token that the PCM has not read yet.
    var isFresh = false
    /// Whether the controller has plugged the cable at least once.
    var wasPlugged = false
    /// When to request the next token, in nanoseconds of the monotonic clock; nil while no request is due.
    var requestAt: Int64?
    var isClosed = false
    var waiters: [Int: AsyncStream<Never>.Continuation] = [:]
    var nextWaiter = 0
  }

  /// Makes the private folder and its files.
  ///
  /// - Parameters:
  ///   - module: The path of the ALSA module of the type `theater`.
  ///   - parents: The folders in which the private folder may be made; the first usable one is taken.
  ///   - request: Asks the controller to plug the cable again.
  init(
    module: String, parents: [String] = SoundCable.parents, request: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    self.request = request
    folder = try Self.makeFolder(in: parents)
    file = "\(folder)/cable"
    do throws(SystemError) {
      wakeup = try WakeupDescriptor()
    } catch {
      rmdir(folder)
      throw error
    }
    inotify = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
    do throws(SystemError) {
      guard inotify >= 0 else { throw SystemError(errno) }
      try write(Self.text(module: module, cable: file), to: configuration)
      // Empty until the first plug.
      try write("", to: file)
      guard inotify_add_watch(inotify, folder, UInt32(IN_ACCESS)) >= 0 else {
        throw SystemError(errno)
      }
    } catch {
      closeDescriptors()
      removeFolder()
      throw error
    }
    SystemThread.start(name: "cable file") { self.watch() }
  }

  /// Writes a new socket and token into the cable file. Does nothing after `close`.
  func plug(_ socket: CableSocket) throws(SystemError) {
    // The PCM may read the new file at once. The thread handles that read only after this lock is released.
    let waiters = try state.withLock { state throws(SystemError) in
      guard !state.isClosed else { return state.waiters.values }
      try write("\(socket.path)\n\(socket.token)\n", to: file)
      state.isFresh = true
      state.wasPlugged = true
      state.requestAt = nil
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.finish() }
  }

  /// Waits until the cable file has a fresh token, at most until `deadline`. Returns at once if the controller
  /// has never plugged the cable.
  func waitUntilFresh(until deadline: Duration, on clock: any TheaterClock) async {
    let (signals, signal) = AsyncStream<Never>.makeStream()
    let waiter = state.withLock { state -> Int? in
      guard state.wasPlugged, !state.isFresh, !state.isClosed else { return nil }
      state.nextWaiter += 1
      state.waiters[state.nextWaiter] = signal
      return state.nextWaiter
    }
    guard let waiter else { return }
    let timer = Task {
      try? await clock.sleep(until: deadline)
      signal.finish()
    }
    for await _ in signals {}
    timer.cancel()
    state.withLock { $0.waiters[waiter] = nil }
  }

  /// Removes the folder, and ends the thread, which then closes the descriptors.
  func close() {
    let waiters = state.withLock { state in
      state.isClosed = true
      // Not on the thread: the process may exit before the thread runs again.
      removeFolder()
      // While the thread cannot have closed the descriptor yet.
      wakeup.signal()
      defer { state.waiters = [:] }
      return state.waiters.values
    }
    for waiter in waiters { waiter.finish() }
  }

  // MARK: The thread

  private func closeDescriptors() {
    Glibc.close(inotify)
    wakeup.close()
  }

  private func watch() {
    defer { closeDescriptors() }
    while !state.withLock({ $0.isClosed }) {
      let due = state.withLock(\.requestAt)
      var polled = [
        pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
        pollfd(fd: wakeup.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&polled, 2, due.map { MonotonicClock().timeout(until: $0) } ?? -1)
      if count > 0, polled[0].revents != 0 { readChanges() }
      if mustRequest() { request() }
    }
  }

  /// Returns whether to request the next token now, and sets the time of the next request.
  private func mustRequest() -> Bool {
    state.withLock { state in
      let now = MonotonicClock.now
      guard let due = state.requestAt, due <= now else { return false }
      state.requestAt = now + Self.requestInterval
      return true
    }
  }

  /// Reads all inotify events. Each reports that the PCM has read a file of the folder, because only the PCM reads it.
  private func readChanges() {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let name = Array("cable".utf8)
    while true {
      let count = read(inotify, &buffer, buffer.count)
      guard count > 0 else { return }
      // ALSA also reads the configuration in this folder, so only events with the name of the cable file count.
      guard buffer[..<count].firstRange(of: name) != nil else { continue }
      state.withLock { state in
        guard state.isFresh else { return }
        state.isFresh = false
        state.requestAt = MonotonicClock.now + Self.connectionTime
      }
    }
  }

  // MARK: Files

  /// The folders in which a private folder may be made, the preferred one first.
  static var parents: [String] {
    [getenv("XDG_RUNTIME_DIR").map { String(cString: $0) } ?? "", "/tmp"]
  }

  /// Makes a folder that only this user can read, in the first usable one of `parents`.
  static func makeFolder(in parents: [String]) throws(SystemError) -> String {
    for parent in parents where parent.hasPrefix("/") {
      var path = Array("\(parent)/theater-mpv-XXXXXX".utf8CString)
      // `mkdtemp` creates the folder with mode 700.
      if mkdtemp(&path) != nil {
        return String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
      }
    }
    throw SystemError(errno)
  }

  /// Removes the private folder and its files.
  private func removeFolder() {
    for path in [file, configuration].flatMap({ [$0, Self.temporaryPath(for: $0)] }) {
      unlink(path)
    }
    rmdir(folder)
  }

  /// Replaces a file atomically, because the PCM may read it at any time.
  private func write(_ text: String, to path: String) throws(SystemError) {
    let temporary = Self.temporaryPath(for: path)
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw SystemError(errno) }
    defer { Glibc.close(file) }
    let bytes = Array(text.utf8)
    guard Glibc.write(file, bytes, bytes.count) == bytes.count, rename(temporary, path) == 0 else {
      throw SystemError(errno)
    }
  }

  private static func temporaryPath(for path: String) -> String { path + ".new" }

  /// Returns the text of the ALSA configuration: it includes the machine's own configuration and defines the PCM.
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
