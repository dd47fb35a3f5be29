import Devices
import JSON
import Platform

/// The result of one case on one plugin.
package struct ConformanceResult: Sendable {
  /// The outcome of a case, with the reason unless it passed.
  package enum Outcome: Sendable {
    case passed
    /// The plugin broke a rule of the protocol, or the case could not run, or did not end in time.
    case failed(ConformanceFailure)
    /// The case does not apply to this plugin.
    case notApplicable(NotApplicable)
  }

  /// The case, with the plugin and the role that it checked.
  package let trial: ConformanceTrial
  /// The outcome of the case.
  package let outcome: Outcome

  /// The rule that a failed case found broken; `nil` for other outcomes, and for a case that could not run or
  /// did not end in time.
  package var brokenRule: ProtocolRule? {
    guard case .failed(let failure) = outcome, failure.breaksRule else { return nil }
    return failure.rule ?? trial.conformanceCase.rules.first
  }
}

extension ConformanceTrial {
  /// Runs the case with a new process of the plugin. A case that exceeds its time limit fails.
  package func run() async -> ConformanceResult {
    let outcome: ConformanceResult.Outcome
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await conformanceCase.body(self) }
        group.addTask {
          let limit = conformanceCase.timeLimit
          // The time limit. The end of the case cancels this task.
          try await Task.sleep(for: limit)
          throw ConformanceFailure.withoutRule(
            "the end of the case",
            received:
              "none within \(JSON.number(limit.seconds)) s; the plugin is too slow for the check, or its catalogue "
              + "too large")
        }
        defer { group.cancelAll() }
        try await group.next()
      }
      outcome = .passed
    } catch let failure as ConformanceFailure {
      outcome = .failed(failure)
    } catch let reason as NotApplicable {
      outcome = .notApplicable(reason)
    } catch {
      outcome = .failed(.withoutRule("that the case can run", received: short("\(error)")))
    }
    return ConformanceResult(trial: self, outcome: outcome)
  }

  /// Runs cases concurrently, and calls `report` with each result in the order of `trials`.
  ///
  /// The case ``ConformanceCase/starts`` runs first, if it is among them. If it fails, the other cases that start
  /// the program do not apply: they would all fail for the same reason. Cases that run alone come last, one by one.
  ///
  /// - Parameter width: The most concurrent cases, at least 1.
  package static func run(
    _ trials: [ConformanceTrial], width: Int, report: (ConformanceResult) -> Void
  ) async {
    var finished: [Int: ConformanceResult] = [:]
    var left = Array(trials.enumerated())
    if let index = trials.firstIndex(where: \.isStart) {
      let start = await trials[index].run()
      finished[index] = start
      left.remove(at: index)
      if start.isFailedStart {
        for (index, trial) in left where trial.conformanceCase.startsProgram {
          finished[index] = trial.notStarted
        }
        left.removeAll { finished[$0.offset] != nil }
      }
    }
    var reported = 0
    func reportFinished() {
      while let next = finished.removeValue(forKey: reported) {
        report(next)
        reported += 1
      }
    }
    await withTaskGroup(of: (Int, ConformanceResult).self) { group in
      var waiting = left.filter { !$0.element.conformanceCase.runsAlone }.makeIterator()
      func startNext() {
        guard let (index, trial) = waiting.next() else { return }
        group.addTask { (index, await trial.run()) }
      }
      for _ in 0..<max(1, width) { startNext() }
      while let (index, result) = await group.next() {
        startNext()
        finished[index] = result
        reportFinished()
      }
    }
    for (index, trial) in left where trial.conformanceCase.runsAlone {
      finished[index] = await trial.run()
    }
    reportFinished()
  }

  /// Runs cases one by one, and calls `report` with each result at once. The order is that of the concurrent run:
  /// first the start of the program, last the cases that run alone.
  ///
  /// - Parameter pause: Waits between two cases that start the program.
  package static func runOneByOne(
    _ trials: [ConformanceTrial], pause: () async -> Void, report: (ConformanceResult) -> Void
  ) async {
    let later = trials.filter { !$0.isStart }
    let ordered =
      trials.filter(\.isStart) + later.filter { !$0.conformanceCase.runsAlone }
      + later.filter(\.conformanceCase.runsAlone)
    var hasStarted = false
    var canStart = true
    for trial in ordered {
      guard trial.conformanceCase.startsProgram else {
        report(await trial.run())
        continue
      }
      guard canStart else {
        report(trial.notStarted)
        continue
      }
      if hasStarted { await pause() }
      hasStarted = true
      let result = await trial.run()
      if result.isFailedStart { canStart = false }
      report(result)
    }
  }

  /// Whether the other cases with a process depend on this one.
  private var isStart: Bool { conformanceCase.name == ConformanceCase.starts.name }

  /// The result of a case whose program does not start.
  private var notStarted: ConformanceResult {
    ConformanceResult(
      trial: self, outcome: .notApplicable(.because("the program does not start")))
  }
}

extension ConformanceResult {
  /// Whether this is the failure of the case that the other cases with a process depend on.
  fileprivate var isFailedStart: Bool {
    if case .failed = outcome, trial.conformanceCase.name == ConformanceCase.starts.name {
      return true
    }
    return false
  }
}
