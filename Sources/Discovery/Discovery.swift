import Platform

/// Runs searches at the same time.
package enum Discovery {
  /// The most findings of one search; the others are dropped, with a line about it.
  package static let mostFindings = 100

  /// Returns the findings of all searches, in the order of the searches.
  package static func result(of searches: [any DeviceSearch]) async -> DiscoveryResult {
    let results = await withTaskGroup(of: (Int, DiscoveryResult).self) { group in
      for (index, search) in searches.enumerated() {
        group.addTask { (index, await search.result()) }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    var all = DiscoveryResult()
    for (index, search) in searches.enumerated() {
      guard let result = results[index] else { continue }
      all.findings += result.findings.prefix(mostFindings)
      all.problems += result.problems.prefix(mostFindings)
      if result.findings.count > mostFindings {
        all.problems.append(
          "\(search.kind.rawValue): only the first \(mostFindings) of "
            + "\(result.findings.count) are shown")
      }
    }
    return all
  }

  /// Runs work that waits in system calls on a thread of its own.
  static func onThread<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    await withCheckedContinuation { done in
      SystemThread.start(name: name) { done.resume(returning: body()) }
    }
  }
}
