import Devices
import PluginProtocol

/// The end of the cable of a plugin's player or tuner.
struct SoundSourceProxy: SoundSource {
  /// The player or tuner.
  let device: DeviceProxy

  func plug(into socket: CableSocket) async throws(DeviceError) { try await plug(.socket(socket)) }

  func plug(pcm: String) async throws(DeviceError) { try await plug(.pcm(pcm)) }

  func unplug() async throws(DeviceError) {
    try await device.ask(UnplugRequest(device: device.id))
  }

  private func plug(_ target: PlugRequest.Target) async throws(DeviceError) {
    try await device.ask(PlugRequest(device: device.id, target: target))
    device.change { core, now in core.markPlugged(at: now) }
  }
}
