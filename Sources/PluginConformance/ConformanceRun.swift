import Devices
import Platform

/// The result of one case on one plugin.
package struct ConformanceResult: Sendable {
  /// The outcome of a case, with the reason unless it passed.
  package enum Outcome: Sendable {
    case passed
    /// The plugin broke a rule of the protocol, or the case could not run, or took more than 90 s.
    case failed(ConformanceFailure)
    /// The case does not apply to this plugin.
    case notApplicable(NotApplicable)
  }

  /// The case, with the plugin and the role that it checked.
  package let trial: ConformanceTrial
  /// The outcome of the case.
  package let outcome: Outcome

  /// The rule that a failed case found broken; `nil` for other outcomes.
  package var brokenRule: ProtocolRule? {
    guard case .failed(let failure) = outcome else { return nil }
    return failure.rule ?? trial.conformanceCase.rules.first
  }
}

extension ConformanceTrial {
  /// The time limit of a case.
  private static let longest = Duration.seconds(90)

  /// Runs the case with a new process of the plugin. A case of more than 90 s fails.
  package func run() async -> ConformanceResult {
    let outcome: ConformanceResult.Outcome
    do {
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await conformanceCase.body(self) }
        group.addTask {
          // The time limit. The end of the case cancels this task.
          try await Task.sleep(for: Self.longest)
          throw ConformanceFailure(
            "the end of the case", received: "none within \(Self.longest.seconds) s")
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
      outcome = .failed(ConformanceFailure("that the case can run", received: short("\(error)")))
    }
    return ConformanceResult(trial: self, outcome: outcome)
  }

  /// Runs cases concurrently, and calls `report` with each result in the order of `trials`.
  ///
  /// - Parameter width: The most concurrent cases, at least 1.
  package static func run(
    _ trials: [ConformanceTrial], width: Int, report: (ConformanceResult) -> Void
  ) async {
    await withTaskGroup(of: (Int, ConformanceResult).self) { group in
      var waiting = trials.enumerated().makeIterator()
      func startNext() {
        guard let (index, trial) = waiting.next() else { return }
        group.addTask { (index, await trial.run()) }
      }
      for _ in 0..<max(1, width) { startNext() }
      var finished: [Int: ConformanceResult] = [:]
      var reported = 0
      while let (index, result) = await group.next() {
        startNext()
        finished[index] = result
        while let next = finished.removeValue(forKey: reported) {
          report(next)
          reported += 1
        }
      }
    }
  }
}
