import Glibc

/// The lock of the one controller of a state folder and of a runtime folder. The kernel releases it
/// with the process.
///
/// The folders themselves are locked, so that the lock also holds when files are removed from them; a file in each
/// one says which process holds it.
struct ControllerLock: Sendable {
  private let state: FolderLock
  private let runtime: FolderLock

  /// Takes both locks, then removes the socket file that an earlier controller has left.
  ///
  /// Both folders must exist. The state folder's lock is the decisive one: accounts and sessions of
  /// two controllers would contradict each other.
  init(_ paths: ApplicationPaths) throws(ExitError) {
    state = try FolderLock(
      paths.state, file: paths.stateLock, name: "the state folder \(paths.state)",
      instead: "XDG_STATE_HOME")
    do throws(ExitError) {
      runtime = try FolderLock(
        paths.runtime, file: paths.lock, name: "the runtime folder \(paths.runtime)",
        instead: "XDG_RUNTIME_DIR")
    } catch {
      state.release()
      throw error
    }
    do throws(ExitError) {
      try Self.removeStaleSocket(paths.socket)
    } catch {
      release()
      throw error
    }
  }

  /// Releases both locks.
  func release() {
    runtime.release()
    state.release()
  }

  /// Removes a socket file without a listener. Throws if a program listens there, or if the file is
  /// not a socket.
  private static func removeStaleSocket(_ socket: String) throws(ExitError) {
    guard let facts = FileFacts(at: socket) else { return }
    guard facts.isSocket else {
      throw ExitError(
        .failed,
        "\(socket) is \(facts.isFolder ? "a folder" : "no socket"): the controller cannot listen "
          + "there",
        hint: "Look at what it is (ls -ld \(socket)), move it away, then start again.")
    }
    if SocketProbe.isListening(at: socket) {
      throw ExitError(
        .failed, "another program answers at \(socket)",
        hint: "Stop it first. To see which program it is: ss -lxp src \(socket)")
    }
    unlink(socket)
  }
}

/// A locked folder (flock(2)), and the locked file in it with the id of the process that holds the lock.
private struct FolderLock: Sendable {
  private let folder: Int32
  private let file: LockFile

  /// Takes the lock without waiting.
  ///
  /// - Parameters:
  ///   - file: The path of the file in it.
  ///   - name: The folder, in words for people.
  ///   - variable: The variable that names another such folder.
  init(
    _ path: String, file filePath: String, name: String, instead variable: String
  ) throws(ExitError) {
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folder >= 0 else {
      throw ExitError(
        .failed, "\(path) cannot be opened: \(String(cString: strerror(errno)))",
        hint: "Check who may read \(name).")
    }
    do throws(ExitError) {
      guard flock(folder, LOCK_EX | LOCK_NB) == 0 else {
        throw Self.refusal(of: folder, errno, filePath, name, variable)
      }
      file = try LockFile(filePath, of: name, instead: variable)
    } catch {
      Self.release(folder)
      throw error
    }
  }

  /// Releases the lock.
  func release() {
    file.release()
    Self.release(folder)
  }

  private static func release(_ folder: Int32) {
    // A child process between its fork and its exec has a copy of the descriptor: closing alone would keep the lock
    // until then.
    flock(folder, LOCK_UN)
    close(folder)
  }

  /// Explains why the folder cannot be locked.
  private static func refusal(
    of folder: Int32, _ cause: Int32, _ file: String, _ name: String, _ variable: String
  ) -> ExitError {
    guard cause == EWOULDBLOCK else { return LockFile.unlockable(file, cause, name, variable) }
    // Only a restore shares the lock.
    guard flock(folder, LOCK_SH | LOCK_NB) != 0 else {
      return ExitError(
        .failed, "a backup is being restored in \(name)",
        hint: "Wait until that is done, then start again.")
    }
    return LockFile.inUse(by: LockFile.holder(at: file), name, variable)
  }
}

/// A locked file (flock(2)) with the id of the process that holds the lock.
private struct LockFile: Sendable {
  private let file: Int32

  /// Takes the lock without waiting. Links are not followed, and only a file that is empty or holds a
  /// process id is overwritten.
  ///
  /// - Parameters:
  ///   - folder: The protected folder, in words for people.
  ///   - variable: The variable that names another such folder.
  init(_ path: String, of folder: String, instead variable: String) throws(ExitError) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard file >= 0 else {
      if [ELOOP, EISDIR, ENXIO].contains(errno) { throw Self.notALock(path) }
      throw ExitError(
        .failed, "\(path) cannot be opened: \(String(cString: strerror(errno)))",
        hint: "Check who may write in \(folder).")
    }
    do throws(ExitError) {
      guard let facts = FileFacts(open: file), facts.isFile, facts.owner == geteuid(),
        let holder = Self.holder(in: file)
      else { throw Self.notALock(path) }
      guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
        let cause = errno
        guard cause == EWOULDBLOCK else {
          throw Self.unlockable(path, cause, folder, variable)
        }
        throw Self.inUse(by: holder, folder, variable)
      }
      ftruncate(file, 0)
      let text = Array("\(getpid())\n".utf8)
      _ = pwrite(file, text, text.count, 0)
    } catch {
      close(file)
      throw error
    }
  }

  /// Releases the lock.
  func release() {
    // A child process between its fork and its exec has a copy of the descriptor: closing alone would keep the lock
    // until then.
    flock(file, LOCK_UN)
    close(file)
  }

  /// The error of a file system without locks.
  static func unlockable(
    _ path: String, _ cause: Int32, _ folder: String, _ variable: String
  ) -> ExitError {
    ExitError(
      .failed, "\(path) cannot be locked: \(String(cString: strerror(cause)))",
      hint: "Put \(folder) on a local file system: set \(variable).")
  }

  /// The error of a folder that a controller uses.
  ///
  /// - Parameter holder: Its process id; empty if it is not known.
  static func inUse(by holder: String, _ folder: String, _ variable: String) -> ExitError {
    ExitError(
      .failed, "a controller\(holder.isEmpty ? "" : " (process \(holder))") uses \(folder)",
      hint: "Use that one, or end it first\(holder.isEmpty ? "" : ": kill \(holder)"). "
        + "A second controller needs another \(variable).")
  }

  /// The process id in the file at `path`; empty if there is none.
  static func holder(at path: String) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else { return "" }
    defer { close(file) }
    return FileFacts(open: file)?.isFile == true ? holder(in: file) ?? "" : ""
  }

  /// The process id in the file; empty if the file is, `nil` if it holds something else.
  private static func holder(in file: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 32)
    let count = pread(file, &bytes, bytes.count, 0)
    guard count >= 0 else { return nil }
    let text = bytes.prefix(count)
    guard text.isEmpty || text.last == UInt8(ascii: "\n") else { return nil }
    let digits = text.dropLast()
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
      return nil
    }
    return String(decoding: digits, as: UTF8.self)
  }

  private static func notALock(_ path: String) -> ExitError {
    ExitError(
      .failed, "\(path) is not the lock of a controller: it is left as it is",
      hint: "Look at it (ls -l \(path)), move it away, then start again.")
  }
}
