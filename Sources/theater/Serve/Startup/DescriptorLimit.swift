import Glibc

/// The limit of open files, sockets and pipes of the controller.
enum DescriptorLimit {
  /// The fewest with which the controller starts: for itself, for plugins, and for some connections.
  static let fewest = 128
  /// As many as it wants: for the most connections, plugins and cables.
  private static let wanted: rlim_t = 4096
  /// As many as are kept for everything but the connections of a port.
  private static let reserved = 96

  /// Raises the limit as far as the system permits and the controller needs.
  ///
  /// - Throws: The error to end with, if the limit is too low.
  static func raise() throws(ExitError) {
    guard var limit = current else { return }
    let best = min(max(limit.rlim_cur, wanted), limit.rlim_max)
    if best > limit.rlim_cur {
      var raised = rlimit(rlim_cur: best, rlim_max: limit.rlim_max)
      if setrlimit(kind, &raised) == 0 { limit = raised }
    }
    guard limit.rlim_cur >= rlim_t(fewest) else {
      throw ExitError(
        .failed,
        "the controller needs \(fewest) open files and may have \(limit.rlim_cur); nothing was started",
        hint: "Raise the limit: ulimit -n 1024, or LimitNOFILE=1024 in the unit file.")
    }
  }

  /// Returns how many connections of `wanted` a port may have, so that they leave enough for plugins, files and the
  /// terminal.
  static func connections(_ wanted: Int) -> Int {
    guard let limit = current else { return wanted }
    return connections(wanted, of: Int(clamping: limit.rlim_cur))
  }

  /// Returns how many connections of `wanted` a port may have with a limit of open files.
  static func connections(_ wanted: Int, of limit: Int) -> Int {
    min(wanted, max(fewest - reserved, limit - reserved))
  }

  /// The limit now; `nil` if the system does not tell.
  private static var current: rlimit? {
    var limit = rlimit()
    return getrlimit(kind, &limit) == 0 ? limit : nil
  }

  private static let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
}
