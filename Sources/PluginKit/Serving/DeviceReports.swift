import Platform
import PluginProtocol
import Synchronization

/// Sends the reports of one device and the answers to its commands, in their order.
///
/// The last report before an answer can travel in the answer: one message instead of two. A report
/// waits for the answer only while a received message is handled (`ArrivalExecutor`); lines are written at the end of
/// that in any case.
final class DeviceReports: Sendable {
  private struct State {
    /// Whether a command is under way whose answer can carry a report.
    var isHolding = false
    /// The newest report, if it is not sent yet.
    var held: StateNotification?
  }

  private let connection: any Connection
  /// Guarded while messages are sent too, so that none overtakes another. Sending never waits.
  private let state = Mutex(State())

  init(connection: any Connection) { self.connection = connection }

  /// Sends a report, at the latest at the end of the present arrival.
  func send(_ report: StateNotification) {
    state.withLock { state in
      sendHeld(&state)
      if state.isHolding, ArrivalExecutor.shared.atEndOfArrival({ self.flush() }) {
        state.held = report
      } else {
        notify(report)
      }
    }
  }

  /// Begins a command.
  ///
  /// - Parameter answersCarryReports: Whether the controller understands a report in an answer.
  func beginCommand(answersCarryReports: Bool) {
    state.withLock { $0.isHolding = answersCarryReports }
  }

  /// Answers the command that was begun.
  func answer(_ id: Int, _ outcome: Result<Void, RPCError>) {
    state.withLock { state in
      state.isHolding = false
      switch outcome {
      case .success:
        let answer = PerformRequest.Answer(report: state.held.take())
        connection.reply(to: id, .success(PerformRequest.encodeAnswer(answer)))
      case .failure(let error):
        sendHeld(&state)
        connection.reply(to: id, .failure(error))
      }
    }
  }

  private func flush() { state.withLock { sendHeld(&$0) } }

  private func sendHeld(_ state: inout State) {
    if let report = state.held.take() { notify(report) }
  }

  private func notify(_ report: StateNotification) {
    // The end of the input shows that the controller is gone.
    try? connection.send(.notification(method: StateNotification.method, params: report.params))
  }
}
