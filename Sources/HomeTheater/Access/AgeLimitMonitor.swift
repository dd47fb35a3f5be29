import Devices
import Scenes

/// The age limit of each player: that of the user who chose its item last.
///
/// The access policy checks commands before they are sent. This type checks items that play without a
/// command: a player that goes on to its next item, and an item that is put in at the player.
@TheaterActor
final class AgeLimitMonitor {
  /// A choice of a user, which can be reverted.
  struct Choice: Sendable {
    let player: DeviceID
    /// The number of the choice, over all players.
    fileprivate let number: Int
    fileprivate let before: Limit?
  }

  /// The result of the check of a player's current item.
  enum Finding {
    /// The item is permitted. The stop of the previous item, if there was one, is over.
    case permitted(after: LimitStop?)
    /// The item is above the age limit.
    case forbidden(LimitStop, isNew: Bool)
  }

  /// The age limit of one player.
  struct Limit: Sendable {
    /// The age limit in years of the user who chose last: who began the activity, ran a scene, or made
    /// the player play something or skip. A user with a lower limit who has resumed the item since
    /// lowers it. `nil` for no limit, and for an item that was put in at the player.
    var ageLimit: Int?
    /// The item that plays and is permitted. It may have begun before the choice.
    var permittedItem: String?
    /// The generation of the player in which the item was heard after the choice.
    var heardGeneration: Int?
    /// The run that stops a forbidden item.
    var stopRun: Run?
    /// The newest forbidden item.
    var stop: LimitStop?
    /// The number of the newest choice.
    var choice = 0
  }

  private(set) var limits: [DeviceID: Limit] = [:]
  private var choiceCount = 0
  private let directory: DeviceDirectory
  private let policy: AccessPolicy

  nonisolated init(directory: DeviceDirectory, policy: AccessPolicy) {
    self.directory = directory
    self.policy = policy
  }

  /// The number of the newest choice on a player; `nil` without one.
  func choiceNumber(on player: DeviceID) -> Int? { limits[player]?.choice }

  // MARK: Choices

  /// Applies the user's age limit to a player before a command that affects its item is sent.
  ///
  /// - Returns: `nil` if the command chooses nothing.
  func recordChoice(
    _ change: ItemChange, on player: DeviceID, by principal: Principal
  ) -> Choice? {
    switch change {
    case .play(nil) where directory.snapshot(of: player)?.state.playback?.isHeld == true:
      recordResume(on: player, by: principal)
    case .play, .skip: recordChoice(on: player, by: principal)
    case .release: nil
    }
  }

  /// Makes the user's age limit the player's. The item that plays already was another user's choice,
  /// and is not checked again until it changes.
  @discardableResult
  func recordChoice(on player: DeviceID, by principal: Principal) -> Choice {
    var limit = limits[player] ?? Limit()
    limit.ageLimit = principal.ageLimit
    limit.heardGeneration = nil
    if directory.snapshot(of: player)?.state.playback?.isHeard != true { limit.permittedItem = nil }
    return setLimit(limit, on: player)
  }

  /// Sets the limit of a player after a restart of the controller, unless a person has chosen since.
  ///
  /// - Parameter item: The item that was permitted; another one is checked.
  func restore(_ ageLimit: Int?, on player: DeviceID, permitting item: String?) {
    guard limits[player]?.choice ?? 0 == 0 else { return }
    _ = setLimit(Limit(ageLimit: ageLimit, permittedItem: item), on: player)
  }

  /// Forgets that the previous item was above the limit, when a new activity begins on a player.
  func clearStop(on player: DeviceID) { limits[player]?.stop = nil }

  /// Lowers a player's age limit to that of a user who resumes an item. The user does not choose the
  /// item, so no limit is raised; but the items that follow it are for this user as well.
  func recordResume(on player: DeviceID, by principal: Principal) -> Choice? {
    var limit = limits[player] ?? Limit()
    guard let ageLimit = principal.ageLimit, limit.ageLimit.map({ ageLimit < $0 }) ?? true else {
      return nil
    }
    limit.ageLimit = ageLimit
    limit.permittedItem = nil
    return setLimit(limit, on: player)
  }

  private func setLimit(_ limit: Limit, on player: DeviceID) -> Choice {
    choiceCount += 1
    let choice = Choice(player: player, number: choiceCount, before: limits[player])
    limits[player] = limit
    limits[player]?.choice = choiceCount
    return choice
  }

  /// Reverts a choice after its command has failed, unless there is a newer one. If the command may
  /// have taken effect, a lower age limit stays.
  func revert(_ choice: Choice, after error: DeviceError) {
    guard var limit = limits[choice.player], limit.choice == choice.number else { return }
    let ageLimit = limit.ageLimit
    limit.ageLimit = choice.before?.ageLimit
    limit.permittedItem = choice.before?.permittedItem
    switch error.code {
    case .unsupported, .invalid, .notNow, .refused: break
    case .failed, .unavailable, .cancelled:
      limit.ageLimit = [limit.ageLimit, ageLimit].compactMap(\.self).min()
    case .timeout: return
    }
    limits[choice.player] = limit
  }

  /// Forgets the choice with this number after the end of its activity. A newer choice, and one whose
  /// item still plays, counts until the player stops.
  func forgetChoice(_ number: Int?, on player: DeviceID) {
    guard limits[player]?.choice == number,
      directory.snapshot(of: player)?.state.playback?.isHeard != true
    else { return }
    limits[player] = nil
  }

  /// Forgets players that have left the theater.
  func removePlayers(_ players: [DeviceID]) { for player in players { limits[player] = nil } }

  // MARK: Checks

  /// Checks the current item of a player. A player that does not report its item cannot be checked.
  ///
  /// - Parameters:
  ///   - isCurrent: Whether it is the player of the current activity.
  ///   - user: The user of the current activity on this player.
  /// - Returns: `nil` if there is nothing new.
  func check(_ playback: Playback, of player: any Device, isCurrent: Bool, user: String?)
    -> Finding?
  {
    let id = player.id
    let snapshot = directory.snapshot(of: id)
    var limit = limits[id] ?? Limit()
    // A player that starts anew reports "stopped" before it goes on with its item. After any other
    // stop, the next item may be put in at the player, and is no user's choice.
    if playback.status == .stopped, !isCurrent, limit.stopRun == nil,
      snapshot?.availability == .available, limit.heardGeneration == snapshot?.generation
    {
      limits[id] = nil
    }
    guard playback.isHeard, let item = playback.item else { return nil }
    guard item != limit.permittedItem else {
      if limit.heardGeneration != nil { limits[id]?.heardGeneration = snapshot?.generation }
      return nil
    }
    guard policy.permits(item, ageLimit: limit.ageLimit) else {
      // A player that does not stop is stopped again at each of its reports.
      guard limit.stopRun?.report.status != .running else { return nil }
      let stop = LimitStop(
        item, policy.entry(item), user: isCurrent ? user : nil, player: id)
      let isNew = limit.stop != stop || limit.stopRun?.report.status == .done
      limit.permittedItem = nil
      limit.stop = stop
      limits[id] = limit
      return .forbidden(stop, isNew: isNew)
    }
    let stop = limit.stopRun == nil ? nil : limit.stop
    limit.permittedItem = item
    limit.heardGeneration = snapshot?.generation
    limit.stopRun = nil
    limit.stop = nil
    limits[id] = limit
    return .permitted(after: stop)
  }

  /// Records the run that stops the forbidden item of a player.
  func setStopRun(_ run: Run, on player: DeviceID) { limits[player]?.stopRun = run }
}
