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
    let starts = ConformanceCase.starts.name
    if let index = trials.firstIndex(where: { $0.conformanceCase.name == starts }) {
      let start = await trials[index].run()
      finished[index] = start
      left.remove(at: index)
      if case .failed = start.outcome {
        for (index, trial) in left where trial.conformanceCase.startsProgram {
          finished[index] = ConformanceResult(
            trial: trial, outcome: .notApplicable(.because("the program does not start")))
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
}
