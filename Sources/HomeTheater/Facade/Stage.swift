import Devices
import Scenes

/// The current activity, its current item, and the run that begins or ends it.
struct Stage {
  /// The activity; for a scene that plays by itself, an activity made from the scene.
  var activity: Activity?
  /// Whether it is a scene that begins no activity.
  var isScene = false
  /// The scenes that end it: its own, or those of the activity that a scene replaced.
  var endScenes: [String] = []
  /// The players of such scenes; they are stopped at its end.
  var scenePlayers: [DeviceID] = []
  /// How far the person who began it may go; `nil` while nothing is on.
  var principal: Principal?
  var report = ActivityReport()
  var run: Run?
  /// Saves the position while the activity goes on.
  var saving: Task<Void, Never>?
  /// Rises with each request to begin or end an activity: the newest wins.
  var turn = 0
  /// Whether the player has come to the chosen item. Until then its reports are about what it played
  /// before.
  var isFollowing = false
  /// The time of the newest report that counts; older ones are about what was on before.
  var followedAt = Duration.zero
  /// The length of the current item in seconds, as the library has it.
  var duration: Double?
  /// Whether the player has reached the end of its disc or film.
  var hasEnded = false
  /// The player's failure, while it lasts.
  var failure: TheaterError?

  /// Returns whether a report of the player is about this activity, not about earlier playback.
  mutating func follows(_ item: String?, at time: Duration) -> Bool {
    guard time >= followedAt, report.status != .ending else { return false }
    if !isFollowing, item == nil || item != report.item { return false }
    isFollowing = true
    followedAt = time
    return true
  }
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
