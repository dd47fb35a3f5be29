import Devices
import Glibc
import Platform
import PluginKit

/// The cable of an input on which other programs of this machine are heard, through the ALSA PCM `theater`.
///
/// The cable file (docs/theater-pcm.md) tells a program where to connect, and with which token. A token is
/// good for one program, so the file gets a new one whenever a program has connected.
struct ProgramCable: Sendable {
  /// The name of the input.
  let input: String
  private let file: String
  private let path: String

  /// A cable below the folder for this user's sockets, which only the user can read.
  ///
  /// - Throws: `invalid` for a name that is no file name, `unavailable` without that folder.
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

  /// Tells programs of the socket, which expects them already.
  func publish(_ socket: CableSocket) throws(SystemError) {
    let made = open(file, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard made >= 0 else { throw SystemError(errno) }
    Glibc.close(made)
    try RegularFile.replace(file, with: Array("\(socket.path)\n\(socket.token)\n".utf8))
  }

  /// Tells programs that there is no amplifier any more.
  func withdraw() { unlink(file) }
}
