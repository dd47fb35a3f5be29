import Devices
import Glibc
import Platform
import PluginKit
import Synchronization

/// The cable of an input on which other programs of this machine are heard, through the ALSA PCM `theater`.
///
/// The cable file (docs/theater-pcm.md) tells a program where to connect, and with which token. A token is
/// good for one program, so the file gets a new one whenever a program has connected.
struct ProgramCable: Sendable {
  /// The name of the input.
  let input: String
  private let file: String
  private let path: String
  private let lock: InputLock

  /// A cable below the folder for this user's sockets, which only the user can read. No other amplifier
  /// has the input until `unlock`.
  ///
  /// - Throws: `invalid` for a name that is no file name, `unavailable` without that folder, `notNow`
  ///   while another amplifier has the input.
  init(input: String) throws(DeviceError) {
    guard !input.isEmpty, !input.hasPrefix("."),
      !input.utf8.contains(where: { $0 == 0x2f || $0 == 0 })
    else {
      throw DeviceError(
        .invalid, "\"\(input)\" in \"inputs\" cannot be the name of a file",
        hint: "use letters, digits and -")
    }
    guard let runtime = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), !runtime.isEmpty
    else {
      throw DeviceError(
        .unavailable, "there is no folder for the sockets of the inputs for programs",
        hint: "set XDG_RUNTIME_DIR to a folder of your own, such as /run/user/\(getuid())")
    }
    let folder = "\(runtime)/theater/inputs"
    for part in ["\(runtime)/theater", folder] where mkdir(part, 0o700) != 0 && errno != EEXIST {
      throw DeviceError(.unavailable, "the folder \(part) cannot be made: \(SystemError(errno))")
    }
    lock = try InputLock("\(folder)/.\(input).lock", of: input)
    self.input = input
    file = "\(folder)/\(input)"
    path = "\(folder)/\(input).socket"
  }

  /// Its socket, with a new token.
  func newSocket() -> CableSocket {
    var random = SystemRandomNumberGenerator()
    let digits = Array("0123456789abcdef")
    let token = (0..<64).compactMap { _ in digits.randomElement(using: &random) }
    return CableSocket(path: path, token: String(token))
  }

  /// Writes the path and token of `socket`, which must already accept connections, into the cable file.
  func publish(_ socket: CableSocket) throws(SystemError) {
    let made = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard made >= 0 else { throw SystemError(errno) }
    Glibc.close(made)
    try RegularFile.replace(file, with: Array("\(socket.path)\n\(socket.token)\n".utf8))
  }

  /// Removes the cable file, so that programs find no amplifier.
  func withdraw() { unlink(file) }

  /// Lets another amplifier have the input. Call it when the socket is closed.
  func unlock() { lock.release() }
}

/// The locked file (flock(2)) of an input for programs. The system releases the lock when the process ends.
private final class InputLock: Sendable {
  /// `nil` once released.
  private let file: Mutex<Int32?>

  /// Acquires the lock without waiting.
  ///
  /// - Throws: `notNow` while another amplifier has the lock, so that the controller tries again: that
  ///   amplifier may be closing, or be removed later.
  init(_ path: String, of input: String) throws(DeviceError) {
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw DeviceError(.unavailable, "the file \(path) cannot be opened: \(SystemError(errno))")
    }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      let code = errno
      close(file)
      guard code == EWOULDBLOCK else {
        throw DeviceError(
          .unavailable, "the file \(path) cannot be locked: \(SystemError(code))")
      }
      throw DeviceError(
        .notNow, "another amplifier has the input \"\(input)\" for programs",
        hint: "give each amplifier names of its own in \"inputs\"")
    }
    self.file = Mutex(file)
  }

  deinit { release() }

  func release() {
    guard let file = self.file.withLock({ $0.take() }) else { return }
    // A child process between its fork and its exec has a copy of the descriptor: closing alone would
    // keep the lock until then.
    flock(file, LOCK_UN)
    close(file)
  }
}
