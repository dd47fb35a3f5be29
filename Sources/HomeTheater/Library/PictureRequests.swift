import Devices
import JSON
import Platform

/// The requests for pictures to the players: each player gets one at a time, and concurrent
/// requests for the same picture share one.
///
/// A player may have to make a picture, which takes seconds. Its commands do not wait for that.
@TheaterActor
final class PictureRequests {
  /// The most requests that wait for a picture. A further one fails.
  static let most = 256

  private struct Key: Hashable {
    let player: DeviceID
    let item: UTF8Key
  }

  private var requests: [Key: Task<Result<ItemPicture?, DeviceError>, Never>] = [:]
  /// Held during a request to a player. There is one for each player that was ever asked.
  private var locks: [DeviceID: AsyncLock] = [:]

  nonisolated init() {}

  /// Returns the player's picture of an item; `nil` if there is none.
  ///
  /// - Throws: The player's error; `notNow` if ``most`` requests are waiting already.
  func picture(
    of item: String, from player: any Device
  ) async throws(DeviceError) -> ItemPicture? {
    let key = Key(player: player.id, item: UTF8Key(item))
    if let request = requests[key] { return try await request.value.get() }
    guard requests.count < Self.most else {
      throw DeviceError(
        .notNow, "\(Self.most) requests for pictures are waiting already", hint: "Ask again later.",
        device: player.id)
    }
    let lock = locks[player.id] ?? AsyncLock()
    locks[player.id] = lock
    let request: Task<Result<ItemPicture?, DeviceError>, Never> = Task {
      await Self.requestPicture(of: item, from: player, holding: lock)
    }
    requests[key] = request
    defer { requests[key] = nil }
    return try await request.value.get()
  }

  private nonisolated static func requestPicture(
    of item: String, from player: any Device, holding lock: AsyncLock
  ) async -> Result<ItemPicture?, DeviceError> {
    await lock.acquire()
    defer { lock.release() }
    do throws(DeviceError) {
      return .success(try await player.picture(of: item))
    } catch {
      return .failure(error)
    }
  }
}
