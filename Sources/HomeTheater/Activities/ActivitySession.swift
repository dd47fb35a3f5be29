import Devices
import Scenes

/// The current activity with its report, its principal and the run that begins or ends it.
struct ActivitySession: Sendable {
  /// The source of an error in the report. Only the same source clears the error.
  enum ErrorSource: Sendable {
    case run, player, configuration, ageLimit, loss
  }

  /// The activity; for a scene that plays by itself, an activity made from the scene.
  private(set) var activity: Activity?
  /// Whether the activity is made from a scene.
  private(set) var isScene = false
  /// The scenes that end it: its own, or those of the activity that a scene replaced.
  private(set) var endScenes: [Scene] = []
  /// The players of such scenes. They are stopped at the end.
  private(set) var scenePlayers: [DeviceID] = []
  /// The devices that it uses: its player, its amplifier, and those that its start scene commands.
  private(set) var devices: Set<DeviceID> = []
  /// The user who began it; `nil` while nothing is on.
  private(set) var principal: Principal?
  private(set) var report = ActivityReport()
  /// The newest run that begins or ends it.
  private(set) var run: Run?
  private var errorSource: ErrorSource?

  /// Begins an activity in place of the present one. An activity made from a scene takes over the
  /// end of the one that it replaces.
  ///
  /// - Parameter commanded: The devices that the start scene commands.
  mutating func begin(
    _ beginning: HouseDecision.Beginning, commanding commanded: Set<DeviceID>, resumedAt: Double?,
    by principal: Principal
  ) {
    let activity = beginning.activity
    let used = commanded.union([activity.player, activity.amplifier].compactMap(\.self))
    isScene = beginning.endScene == nil
    if let endScene = beginning.endScene {
      endScenes = [endScene]
      scenePlayers = []
      devices = used
    } else {
      if let player = activity.player, !scenePlayers.contains(player) {
        scenePlayers.append(player)
      }
      devices.formUnion(used)
    }
    self.activity = activity
    self.principal = principal
    errorSource = nil
    let item = beginning.item
    report = ActivityReport(
      title: activity.title, item: item?.id, itemTitle: item?.title,
      artist: item?.artist, hasItemPicture: item?.hasPicture ?? false, user: principal.user,
      player: activity.player,
      resumedAt: resumedAt)
    if isScene { report.scene = activity.name } else { report.activity = activity.name }
  }

  /// Goes on with an activity that was on before a restart of the controller.
  mutating func restore(
    _ beginning: HouseDecision.Beginning, isScene: Bool, commanding commanded: Set<DeviceID>,
    by principal: Principal
  ) {
    let replaced = isScene ? beginning.endScene?.steps.devices ?? [] : []
    begin(beginning, commanding: commanded.union(replaced), resumedAt: nil, by: principal)
    report.status = .running
    guard isScene, beginning.endScene != nil else { return }
    self.isScene = true
    scenePlayers = [beginning.activity.player].compactMap(\.self)
    report.activity = nil
    report.scene = beginning.activity.name
  }

  /// Takes the definitions of the activity and of its end scenes from a new plan. A definition that the
  /// plan no longer contains stays as it was when the activity began.
  mutating func apply(_ plan: TheaterPlan) {
    endScenes = endScenes.map { plan.scenes[$0.name] ?? $0 }
    guard !isScene, let current = activity, let new = plan.activities[current.name],
      new.player == current.player
    else { return }
    activity = new
    if let end = plan.scenes[new.end] { endScenes = [end] }
    report.title = new.title
  }

  /// Reports a run that begins or ends the activity.
  mutating func setRun(_ run: Run, status: ActivityReport.Status) {
    self.run = run
    report.status = status
    report.run = run.report.id
    report.retryAt = nil
    clearError()
  }

  /// Reports the end of the run. A failed run fails the activity; a successful one keeps the error
  /// that another source has reported meanwhile.
  mutating func finishRun(_ run: RunReport, status: ActivityReport.Status) {
    report.status = run.status == .done ? status : .failed
    report.retryAt = nil
    if let error = run.error { setError(error, .run) }
  }

  /// Goes on after a request that was to replace or end the activity has failed. A run of the activity's own
  /// that was under way is cancelled by now: then the activity has failed.
  mutating func resume(after error: TheaterError) {
    if activity == nil {
      self = ActivitySession(run: run)
    } else if [.starting, .ending].contains(report.status) {
      report.status = .failed
      setError(error, .run)
    }
  }

  /// Ends the activity. The report keeps the loss that ended it.
  ///
  /// - Parameter run: The run that ended it; `nil` for the newest one.
  mutating func end(run: RunReport?) {
    let loss = errorSource == .loss ? report.error : nil
    self = ActivitySession(run: self.run)
    report.run = run?.id ?? self.run?.report.id
    report.error = loss
  }

  private init(run: Run?) { self.run = run }
  init() {}

  /// Reports that the player has gone on to another item.
  mutating func setItem(_ choice: ItemChoice) {
    report.item = choice.id
    report.itemTitle = choice.title
    report.artist = choice.artist
    report.hasItemPicture = choice.hasPicture
    report.resumedAt = nil
  }

  /// Reports that the player does not play its item any more.
  ///
  /// - Parameter position: Where `resume` tries the item again, in seconds. Where a scene has
  ///   failed, or is under way, the activity can be begun again instead.
  mutating func setFailure(_ error: TheaterError, retryingAt position: Double) {
    setError(error, .player)
    report.retryAt = report.status == .running ? position : nil
  }

  /// Reports that the failure of the player is over.
  mutating func clearFailure() {
    report.retryAt = nil
    clearError(.player)
  }

  mutating func setError(_ error: TheaterError, _ source: ErrorSource) {
    report.error = error
    errorSource = source
  }

  /// Clears the error of this source. An error that another source has reported since stays.
  mutating func clearError(_ source: ErrorSource) {
    if errorSource == source { clearError() }
  }

  private mutating func clearError() {
    report.error = nil
    errorSource = nil
  }
}
