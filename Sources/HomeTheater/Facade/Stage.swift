import Devices

/// What is on: the activity, what was chosen for it, and the run that begins or ends it.
struct Stage {
  var activity: Activity?
  /// How far the person who began it may go; `nil` while nothing is on.
  var allowance: Allowance?
  var report = ActivityReport()
  var run: Run?
  /// Saves the position while the activity goes on.
  var saving: Task<Void, Never>?
  /// Rises with each request to begin or end an activity: the newest wins.
  var turn = 0
  /// Whether the player has been seen with the chosen item since it began.
  var hasPlayed = false
}

/// The runs of the last while, so that who began one can ask for its end.
struct RunHistory {
  /// How many are kept.
  static let capacity = 100
  private var runs: [(id: String, run: Run)] = []
  private var count = 0

  /// The id of the next run.
  mutating func nextID() -> String {
    count += 1
    return "run-\(count)"
  }

  mutating func add(_ run: Run) {
    runs.append((run.report.id, run))
    guard runs.count > Self.capacity else { return }
    // What is still on its way stays, however old it is.
    if let old = runs.firstIndex(where: { $0.run.report.status != .running }) {
      runs.remove(at: old)
    }
  }

  subscript(id: String) -> Run? { runs.last { $0.id == id }?.run }
}
