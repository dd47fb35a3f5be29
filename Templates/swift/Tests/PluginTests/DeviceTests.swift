import Devices
import JSON
import PluginProtocol
import Testing

@testable import Plugin

@Test("opens a device, performs a command and reports the new state")
func performsCommand() async throws {
  let (controller, connection) = InMemoryConnection.pair()
  let (lines, line) = AsyncStream<RPCMessage>.makeStream()
  controller.start { event in
    if case .line(let bytes) = event, let message = try? RPCMessage(line: bytes) {
      line.yield(message)
    }
    if case .closed = event { line.finish() }
  }
  let open = OpenRequest(device: "a", role: .__ROLE__, options: [:])
  let perform = PerformRequest(device: "a", command: "__FIRST_COMMAND__")
  try controller.send(.request(id: 1, method: OpenRequest.method, params: open.params))
  try controller.send(.request(id: 2, method: PerformRequest.method, params: perform.params))
  async let serving: Void = plugin.serve(connection)
  var states: [[StateKey: JSON]] = []
  for await message in lines {
    if case .notification(StateNotification.method, let params) = message {
      states += [StateNotification(params: params)?.values].compactMap(\.self)
    }
    if case .failure(_, let error) = message { Issue.record("\(error)") }
    guard case .success(2, let result) = message else { continue }
    if let report = result["report"] {
      states += [StateNotification(params: report)?.values].compactMap(\.self)
    }
    break
  }
  #expect(states.last == [__FIRST_STATE__])
  controller.closeSending()
  await serving
}
