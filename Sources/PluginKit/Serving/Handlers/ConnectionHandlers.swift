import JSON
import PluginProtocol

extension InitializeRequest: HandledRequest {
  func handle(_ id: Int, by server: PluginServer) { server.initialize(id, self) }
}

extension PingRequest: HandledRequest {
  func handle(_ id: Int, by server: PluginServer) { server.reply(to: id, .success([:])) }
}

extension ShutdownRequest: HandledRequest {
  func handle(_ id: Int, by server: PluginServer) { server.shutDown(id) }
}

extension CancelNotification: HandledNotification {
  func handle(by server: PluginServer) { server.cancel(id) }
}
