import Devices

/// Stops playback before the plugins end.
enum PlayerShutdown {
  /// The longest wait for one player.
  private static let longest = Duration.seconds(1)

  /// Sends `stop` to each player that plays.
  static func stopPlayback(of devices: [any Device]) async {
    await withDiscardingTaskGroup { group in
      for device in devices {
        guard let stop = device.role.stop else { continue }
        group.addTask {
          guard await device.snapshot().state.playback?.status == .playing else { return }
          await withTimeout(longest) { _ = try? await device.perform(stop, until: .accepted) }
        }
      }
    }
  }

  private static func withTimeout(
    _ time: Duration, _ body: @escaping @Sendable () async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask(operation: body)
      // A time limit: a player may never answer.
      group.addTask { try? await Task.sleep(for: time) }
      await group.next()
      group.cancelAll()
    }
  }
}
