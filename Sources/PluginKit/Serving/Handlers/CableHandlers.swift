import Devices
import PluginProtocol

extension OpenSocketRequest: FacetRequest {
  func answer(by device: any AmplifierDevice) async throws(DeviceError) {
    try await device.openSocket(socket, input: input)
  }
}

extension LendRequest: FacetRequest {
  func answer(by device: any AmplifierDevice) async throws(DeviceError) -> String {
    try await device.lend(input: input)
  }
}

extension PlugRequest: FacetRequest {
  func answer(by device: any PlayerDevice) async throws(DeviceError) {
    switch target {
    case .socket(let socket): try await device.plug(into: socket)
    case .pcm(let name):
      guard SoundDeviceName(name) != nil else { throw .notLendable(name) }
      try await device.plug(pcm: name)
    }
  }
}

extension UnplugRequest: FacetRequest {
  func answer(by device: any PlayerDevice) async throws(DeviceError) { try await device.unplug() }
}
