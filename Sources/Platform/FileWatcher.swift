import Glibc

/// Reports changes of a file with inotify(7), without polling.
///
/// The folder of the file is watched, not the file: an editor that writes a new file and renames it is
/// noticed, and so is a link on the way that points elsewhere, a folder that is renamed, and a file or
/// folder that is gone and comes back. The watcher's thread runs only after changes in these folders.
package struct FileWatcher: Sendable {
  /// One element after each burst of changes; unread elements are merged into one. A file that is
  /// gone counts as changed. For one reader: the watcher ends when the reader is cancelled, or with
  /// the last copy of the stream.
  package let changes: AsyncStream<Void>

  /// Watches the file at `path`, which need not exist.
  ///
  /// - Parameters:
  ///   - path: Absolute, or from the present folder.
  ///   - quiet: A burst of changes ends when nothing has changed for so long, at the latest after 20
  ///     times as long.
  ///   - failed: Receives the error if the folders cannot be watched after a change. Later changes may
  ///     be missed then.
  /// - Throws: `ENOSPC` at the limit of watches (`fs.inotify.max_user_watches`), `EMFILE` at the limit
  ///   of open files or inotify instances, `EACCES` if a folder must not be read.
  package init(
    _ path: String, quiet: Duration = .milliseconds(100),
    failed: @escaping @Sendable (SystemError) -> Void = { _ in }
  ) throws(SystemError) {
    let end = try WakeupDescriptor()
    let watches: FolderWatches
    do throws(SystemError) {
      watches = try FolderWatches(for: path)
    } catch {
      end.close()
      throw error
    }
    let (changes, change) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    // Called once. The thread closes the descriptor after it has seen the signal.
    change.onTermination = { _ in end.signal() }
    self.changes = changes
    let loop = WatchLoop(path: path, quiet: Int64(quiet / .nanoseconds(1)), end: end)
    SystemThread.start(name: "file watch") {
      loop.run(watches, changed: { change.yield() }, failed: failed)
    }
  }
}

/// The thread of a watcher.
private struct WatchLoop: Sendable {
  let path: String
  /// In nanoseconds.
  let quiet: Int64
  /// Signalled when the watcher ends.
  let end: WakeupDescriptor

  private enum Outcome {
    case changed, quiet, ended
  }

  func run(
    _ first: FolderWatches, changed: () -> Void, failed: (SystemError) -> Void
  ) {
    var watches = first
    defer {
      watches.close()
      end.close()
    }
    while wait(for: watches, until: nil) == .changed {
      let latest = MonotonicClock.now + 20 * quiet
      var outcome = Outcome.changed
      while outcome == .changed, MonotonicClock.now < latest {
        outcome = wait(for: watches, until: min(MonotonicClock.now + quiet, latest))
      }
      if outcome == .ended { return }
      // The path may lead through other folders now.
      do throws(SystemError) {
        let new = try FolderWatches(for: path)
        watches.close()
        watches = new
      } catch {
        failed(error)
      }
      // After the new watches are set: the reader sees all that happened before.
      changed()
    }
  }

  /// Waits for a change.
  ///
  /// - Parameter deadline: Nanoseconds of `MonotonicClock`; `nil` waits without limit.
  private func wait(for watches: FolderWatches, until deadline: Int64?) -> Outcome {
    while true {
      var descriptors = [watches.descriptor, end.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let count = poll(
        &descriptors, 2, deadline.map { MonotonicClock().timeout(until: $0) } ?? -1)
      if descriptors[1].revents != 0 { return .ended }
      if count == 0 { return .quiet }
      if count > 0, watches.readChanges() { return .changed }
    }
  }
}
