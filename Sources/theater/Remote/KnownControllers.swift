import Glibc
import Platform
import TheaterAPI

/// The certificates of controllers elsewhere that this user has confirmed: the text of their file, as a value.
///
/// A line is `https://box:8080 SHA-256 AB:CD:…`; empty lines and lines that begin with `#` are kept.
struct KnownControllerList: Sendable, Hashable {
  /// A controller and its certificate.
  struct Entry: Sendable, Hashable {
    let address: RemoteAddress
    let fingerprint: CertificateFingerprint

    var line: String { "\(address) SHA-256 \(fingerprint)" }
  }

  /// The number of the first line that is no entry, from 1 on.
  struct UnreadableLine: Error, Hashable {
    let number: Int
  }

  private enum Line: Sendable, Hashable {
    case entry(Entry)
    case comment(String)

    var text: String {
      switch self {
      case .entry(let entry): entry.line
      case .comment(let text): text
      }
    }
  }

  /// The most entries.
  static let mostEntries = 1_000

  private var lines: [Line] = []

  init() {}

  init(_ text: String) throws(UnreadableLine) {
    // A line break of Windows is one character.
    var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    if lines.last?.isEmpty == true { lines.removeLast() }
    for (index, line) in lines.enumerated() {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard let first = words.first, first.first != "#" else {
        self.lines.append(.comment(String(line)))
        continue
      }
      // Such a line may be the one of the controller in question, so none is passed over.
      guard words.count == 3, words[1] == "SHA-256",
        let address = try? RemoteAddress(String(first)),
        let fingerprint = CertificateFingerprint(String(words[2])), self[address] == nil
      else { throw UnreadableLine(number: index + 1) }
      self.lines.append(.entry(Entry(address: address, fingerprint: fingerprint)))
    }
  }

  /// The entries, oldest first.
  var entries: [Entry] {
    lines.compactMap { if case .entry(let entry) = $0 { entry } else { nil } }
  }

  /// The confirmed certificate of a controller. A new one takes the place of the old; `nil` removes it.
  subscript(address: RemoteAddress) -> CertificateFingerprint? {
    get { entries.first { $0.address == address }?.fingerprint }
    set {
      let index = lines.firstIndex { line in
        if case .entry(let entry) = line { entry.address == address } else { false }
      }
      let line = newValue.map { Line.entry(Entry(address: address, fingerprint: $0)) }
      switch (index, line) {
      case (let index?, let line?): lines[index] = line
      case (let index?, nil): lines.remove(at: index)
      case (nil, let line?): lines.append(line)
      case (nil, nil): break
      }
    }
  }

  /// The text of the file.
  var text: String { lines.map { $0.text + "\n" }.joined() }
}

/// The file with the confirmed certificates: `known-controllers` in the folder of this user's settings.
struct KnownControllers: Sendable {
  private let folder: String
  private var path: String { folder + "/known-controllers" }

  /// The largest file, in bytes.
  private static let largest = 512 * 1024

  init(_ paths: ApplicationPaths = ApplicationPaths()) { folder = paths.configuration }

  /// Reads the list; an empty one without a file.
  ///
  /// - Throws: `ExitError` if others could have changed it, or if a line is none of this program.
  func read() throws(ExitError) -> KnownControllerList {
    let bytes: [UInt8]
    do throws(PrivateFile.Failure) {
      guard let read = try PrivateFile.read(path, atMost: Self.largest) else { return .init() }
      bytes = read
    } catch {
      switch error {
      case .unusable(let what):
        throw ExitError(
          .failed, "\(path) \(what): nothing was sent",
          hint: "It must be a file that only you can read and write: chmod 600 \(path)")
      case .unreadable(let cause):
        throw ExitError(
          .failed, "cannot read \(path): \(cause)",
          hint: "Check that it belongs to you: ls -l \(path)")
      }
    }
    guard bytes.count <= Self.largest else {
      throw ExitError(
        .failed, "\(path) is larger than \(Self.largest / 1024) KiB",
        hint: "It has a line for each controller. Look at it, and remove what is none.")
    }
    do throws(KnownControllerList.UnreadableLine) {
      return try KnownControllerList(String(decoding: bytes, as: UTF8.self))
    } catch {
      throw ExitError(
        .failed, "\(path):\(error.number): expected ADDRESS SHA-256 FINGERPRINT, each address once",
        hint: "Correct or remove the line; then confirm its controller again.")
    }
  }

  /// The confirmed certificate of a controller.
  func fingerprint(of address: RemoteAddress) throws(ExitError) -> CertificateFingerprint? {
    try read()[address]
  }

  /// Records a confirmed certificate; `nil` forgets it.
  ///
  /// - Parameter previous: The certificate that the person saw as the confirmed one. If another command has recorded
  ///   another one meanwhile, nothing is changed.
  func set(
    _ fingerprint: CertificateFingerprint?, for address: RemoteAddress,
    inPlaceOf previous: CertificateFingerprint?
  ) throws(ExitError) {
    try makeFolder()
    let lock = try SettingsLock(folder)
    defer { lock.release() }
    var list = try read()
    let current = list[address]
    guard current == previous || current == fingerprint else {
      throw ExitError(
        .failed, "another command has just confirmed another certificate of \(address)",
        hint: "See it: \(ProgramName.program) controllers")
    }
    list[address] = fingerprint
    guard list.entries.count <= KnownControllerList.mostEntries else {
      throw ExitError(
        .failed, "\(path) has \(KnownControllerList.mostEntries) controllers already",
        hint: "Forget some: \(ProgramName.program) controllers forget ADDRESS")
    }
    do throws(SystemError) {
      try PrivateFile.write(Array(list.text.utf8), to: path)
    } catch {
      throw ExitError(
        .failed, "cannot write \(path): \(error)",
        hint: "Check that the folder belongs to you and that its disk has room.")
    }
  }

  /// Makes the folder if it is missing. Others may read an existing one, which may hold a controller's
  /// configuration, but nobody else may replace files in it.
  private func makeFolder() throws(ExitError) {
    guard let facts = FileFacts(at: folder) else {
      return try ApplicationPaths.make(privately: folder, variable: "XDG_CONFIG_HOME")
    }
    guard facts.isFolder, facts.owner == geteuid(), !facts.isWritableByOthers else {
      throw ExitError(
        .failed, "\(folder) is not a folder in which only you may write",
        hint: "Check whose it is (ls -ld \(folder)), and close it: chmod go-w \(folder)")
    }
  }

  /// Completions for an address; none if the file cannot be used.
  static let completions: @Sendable ([String], Int, String) -> [String] = { words, index, prefix in
    let entries = (try? KnownControllers().read())?.entries ?? []
    return CompletionRequest(words: words, index: index, prefix: prefix)
      .candidates(entries.map { "\($0.address)" })
  }
}

/// The lock of a folder of settings (flock), held for the moment in which a file in it is read and replaced.
private struct SettingsLock {
  private let folder: Int32

  init(_ path: String) throws(ExitError) {
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folder >= 0 else {
      throw ExitError(
        .failed, "\(path) cannot be opened: \(SystemError(errno))",
        hint: "Check that it belongs to you: ls -ld \(path)")
    }
    var attempts = 0
    while flock(folder, LOCK_EX | LOCK_NB) != 0 {
      let cause = errno
      attempts += 1
      guard cause == EWOULDBLOCK || cause == EINTR, attempts < 500 else {
        close(folder)
        throw ExitError(
          .failed,
          cause == EWOULDBLOCK
            ? "another program holds the lock of \(path)"
            : "\(path) cannot be locked: \(SystemError(cause))",
          hint: "Try again when no other command confirms a controller.")
      }
      // A holder writes one small file. A wait in the kernel would have no end if it is stopped meanwhile.
      usleep(10_000)
    }
  }

  func release() {
    flock(folder, LOCK_UN)
    close(folder)
  }
}
