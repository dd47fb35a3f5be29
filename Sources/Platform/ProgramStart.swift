import CLinux
import Glibc

/// A program to start as a child process: its arguments, environment, folder and streams.
///
/// `posix_spawn` rather than `fork`: it copies no memory, and resets the child's signals to their
/// defaults, also those that this process ignores or blocks.
public struct ProgramStart: Sendable {
  /// The other end of a standard stream.
  public enum Stream: Sendable {
    /// A new pipe to this process.
    case pipe
    /// An open descriptor of this process, which stays open here.
    case descriptor(Int32)
    /// `/dev/null`.
    case null

    var isPipe: Bool { if case .pipe = self { true } else { false } }
  }

  /// A path, or a name that is looked up along this process's `PATH`.
  public var program: String
  /// The arguments, without the program itself.
  public var arguments: [String]
  /// All variables of the child; `nil` gives it those of this process.
  public var environment: [String: String]?
  /// The working folder of the child; `nil` for that of this process.
  public var folder: String?
  /// Whether the child leads a process group of its own: `ChildProcess` then signals the whole group.
  public var leadsGroup: Bool
  /// Descriptors 0, 1 and 2 of the child. It inherits no other.
  public var input, output, error: Stream

  /// A program with `/dev/null` for streams, in this process's group, unless said otherwise.
  public init(
    _ program: String, _ arguments: [String] = [], environment: [String: String]? = nil,
    folder: String? = nil, leadsGroup: Bool = false,
    input: Stream = .null, output: Stream = .null, error: Stream = .null
  ) {
    self.program = program
    self.arguments = arguments
    self.environment = environment
    self.folder = folder
    self.leadsGroup = leadsGroup
    self.input = input
    self.output = output
    self.error = error
  }

  /// Starts the program with `streams` as its descriptors 0, 1 and 2, and returns its process id.
  ///
  /// - Parameter streams: None is `.pipe`: the caller has made the pipes.
  func spawn(_ streams: [Stream]) throws(SystemError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var copies: [Int32] = []
    defer { for copy in copies { close(copy) } }
    for (number, stream) in streams.enumerated() {
      let number = Int32(number)
      if case .descriptor(var descriptor) = stream {
        // An earlier action has replaced this descriptor in the child already.
        if descriptor < number {
          descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
          guard descriptor >= 0 else { throw SystemError(errno) }
          copies.append(descriptor)
        }
        posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      } else {
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    let confined = linux_spawn_confine(&actions, folder)
    guard confined == 0 else { throw SystemError(confined) }

    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(
        POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | (leadsGroup ? POSIX_SPAWN_SETPGROUP : 0)))

    var id: pid_t = 0
    let variables = environment?.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    let code = Self.withCStrings([program] + arguments) { arguments in
      guard let variables else {
        return posix_spawnp(&id, program, &actions, &attributes, arguments, environ)
      }
      return Self.withCStrings(variables) {
        posix_spawnp(&id, program, &actions, &attributes, arguments, $0)
      }
    }
    guard code == 0 else { throw SystemError(code) }
    return id
  }

  /// Lends `body` a null-terminated list of C strings.
  private static func withCStrings<Result>(
    _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
  ) -> Result {
    let copies = strings.map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    return body(copies + [nil])
  }
}
