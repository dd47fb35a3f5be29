import PluginProtocol

extension MeterNotification: HandledNotification {
  func handle(by server: PluginServer) { server.device(device)?.setMetering(isOn) }
}
