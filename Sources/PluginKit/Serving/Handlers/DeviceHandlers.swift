import Devices
import JSON
import PluginProtocol

extension OpenRequest: HandledRequest {
  func handle(_ id: Int, by server: PluginServer) { server.open(id, self) }
}

extension CloseRequest: HandledRequest {
  func handle(_ id: Int, by server: PluginServer) { server.close(id, self) }
}

extension PerformRequest: DeviceRequest {
  func run(_ job: DeviceJob, on device: OpenDevice) async {
    await device.perform(command, of: job)
  }
}
