import Devices

/// The commands of one device that are not over, at one moment.
package struct CommandsInHand: Sendable, Equatable {
  /// Sent; its answer has not come.
  package var underWay: Command?
  /// One that the device could not take yet comes first; then in the order of sending.
  package var waiting: [Command] = []
  /// Accepted; somebody waits until the state shows them as done.
  package var settling: [Command] = []
  /// When the next of them, or a player that waits for its cable, is due: offered again or given
  /// up. `nil` when nothing is.
  package var due: Duration?

  package static let none = CommandsInHand()
}

extension DeviceCore {
  var inHand: CommandsInHand {
    CommandsInHand(
      underWay: queue.underWay?.command, waiting: queue.allWaiting,
      settling: waiters.map(\.command), due: nextDeadline)
  }
}
