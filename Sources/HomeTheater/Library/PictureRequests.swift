import Devices
import JSON
import Platform

/// The requests for pictures to the players: each player gets one at a time, the users take turns, and concurrent
/// requests for the same picture share one.
///
/// A player may have to make a picture, which takes seconds. Its commands do not wait for that.
@TheaterActor
final class PictureRequests {
  /// The most requests that wait for a picture. Then the newest of the user who has the most fails.
  nonisolated static let most = 256
  /// The most requests of one user that wait. A further one fails.
  nonisolated static let mostOfOneUser = 64

  private typealias Answer = Result<ItemPicture?, DeviceError>

  /// The requests to one player.
  private struct Line {
    var turns = PictureTurns()
    /// Whether a task asks the player.
    var isServed = false
  }

  /// There is one for each player that was ever asked.
  private var lines: [DeviceID: Line] = [:]
  private var waiters: [Int: CheckedContinuation<Answer, Never>] = [:]
  private var lastID = 0

  nonisolated init() {}

  /// The number of requests that wait for a picture.
  var count: Int { waiters.count }

  /// Returns the player's picture of an item; `nil` if there is none.
  ///
  /// - Parameter user: The user who asks.
  /// - Throws: The player's error; `notNow` if ``mostOfOneUser`` requests of the user or ``most`` of all are
  ///   waiting already.
  func picture(
    of item: String, from player: any Device, for user: String?
  ) async throws(DeviceError) -> ItemPicture? {
    guard let media = player.facet((any MediaSource).self) else { return nil }
    guard makeRoom(for: user) else { throw Self.excess(player.id) }
    lastID += 1
    let request = PictureTurns.Request(id: lastID, user: user, item: UTF8Key(item))
    lines[player.id, default: Line()].turns.insert(request)
    if lines[player.id]?.isServed == false {
      lines[player.id]?.isServed = true
      Task { await serve(player.id, from: media) }
    }
    let answer: Answer = await withCheckedContinuation { waiters[request.id] = $0 }
    return try answer.get()
  }

  /// Asks the player for one picture after the other, until no request waits.
  private func serve(_ player: DeviceID, from media: any MediaSource) async {
    while let item = lines[player]?.turns.next() {
      let answer = await Self.requestPicture(of: item.text, from: media)
      for request in lines[player]?.turns.remove(item) ?? [] {
        waiters.removeValue(forKey: request.id)?.resume(returning: answer)
      }
    }
    lines[player]?.isServed = false
  }

  /// Makes room for one more request.
  ///
  /// - Returns: Whether there is room.
  private func makeRoom(for user: String?) -> Bool {
    let ofUser = lines.values.reduce(0) { $0 + $1.turns.count(of: user) }
    guard ofUser < Self.mostOfOneUser else { return false }
    guard lines.values.reduce(0, { $0 + $1.turns.waiting.count }) >= Self.most else { return true }
    let longest = lines.max { $0.value.turns.waiting.count < $1.value.turns.waiting.count }?.key
    guard let longest, let removed = lines[longest]?.turns.removeExcess(before: user) else {
      return false
    }
    waiters.removeValue(forKey: removed.id)?.resume(returning: .failure(Self.excess(longest)))
    return true
  }

  private static func excess(_ player: DeviceID) -> DeviceError {
    DeviceError(
      .notNow, "too many requests for pictures are waiting already", hint: "Ask again later.",
      device: player)
  }

  private nonisolated static func requestPicture(
    of item: String, from media: any MediaSource
  ) async -> Answer {
    do throws(DeviceError) {
      return .success(try await media.picture(of: item))
    } catch {
      return .failure(error)
    }
  }
}
