import Devices

/// Runs searches at the same time, for one request at a time.
///
/// A search that does not end in time is given up: a disk or a name server that never answers blocks its
/// thread, but not the request.
package actor DiscoveryRunner {
  /// The most findings of one search; further ones are dropped, and a problem says so.
  package static let mostFindings = 100

  private var isBusy = false
  /// The last run of each kind that has not ended, with its number.
  private var runs: [DiscoveryKind: (number: Int, task: Task<Void, Never>)] = [:]
  private var lastNumber = 0
  /// The kinds with a run that was given up and has not ended.
  private var overdue: Set<DiscoveryKind> = []

  package init() {}

  /// Runs all searches, and returns their findings in the order of the searches.
  ///
  /// - Parameters:
  ///   - searches: At most one of each kind.
  ///   - limit: The time limit of all searches together.
  /// - Throws: `notNow` while another request is served, `cancelled` if the task was cancelled.
  package func run(
    _ searches: [any DeviceSearch], within limit: Duration
  ) async throws(TheaterError) -> DiscoveryResult {
    guard !isBusy else {
      throw TheaterError(
        .notNow, "another search for devices is running", hint: "Try again when it has ended.")
    }
    isBusy = true
    defer { isBusy = false }
    let results = await results(
      of: searches.filter { !overdue.contains($0.kind) }, within: limit)
    guard !Task.isCancelled else { throw TheaterError(.cancelled, "the search was cancelled") }
    var all = DiscoveryResult()
    for kind in searches.map(\.kind) {
      guard let result = results[kind] else {
        all.problems.append(
          "\(kind.rawValue): the search took too long and was given up; check for a disk or a server that "
            + "does not answer")
        all.failed.insert(kind)
        continue
      }
      all.failed.formUnion(result.failed)
      all.findings += result.findings.prefix(Self.mostFindings)
      all.problems += result.problems.prefix(Self.mostFindings)
      if result.findings.count > Self.mostFindings {
        all.problems.append(
          "\(kind.rawValue): only the first \(Self.mostFindings) of "
            + "\(result.findings.count) are shown")
      }
    }
    return all
  }

  /// Returns the results that arrive until the limit or a cancellation, and cancels the other searches.
  private func results(
    of searches: [any DeviceSearch], within limit: Duration
  ) async -> [DiscoveryKind: DiscoveryResult] {
    let (arrivals, arrival) = AsyncStream<(DiscoveryKind, DiscoveryResult)>.makeStream()
    let started = searches.map { search in
      let before = runs[search.kind]?.task
      lastNumber += 1
      let number = lastNumber
      let run = Task {
        // The threads of a cancelled request need a moment to end.
        await before?.value
        if !Task.isCancelled { arrival.yield((search.kind, await search.run())) }
        if runs[search.kind]?.number == number {
          runs[search.kind] = nil
          overdue.remove(search.kind)
        }
      }
      runs[search.kind] = (number, run)
      return run
    }
    let timer = Task {
      // A time limit: it ends the wait for searches that hang in the system.
      try? await Task.sleep(for: limit)
      arrival.finish()
    }
    defer {
      timer.cancel()
      for run in started { run.cancel() }
    }
    var results: [DiscoveryKind: DiscoveryResult] = [:]
    if started.isEmpty { return results }
    for await (kind, result) in arrivals {
      results[kind] = result
      if results.count == started.count { break }
    }
    if !Task.isCancelled {
      // A search may have ended since the time was over.
      overdue.formUnion(searches.map(\.kind).filter { results[$0] == nil && runs[$0] != nil })
    }
    return results
  }
}
