import Devices
import PluginProtocol
import Synchronization

/// The ends of the cables of a plugin's amplifier.
struct SoundSinkProxy: SoundSink {
  /// The amplifier.
  let device: DeviceProxy

  func openSocket(input: String) async throws(DeviceError) -> CableSocket {
    let known = device.state.withLock { ($0.session, $0.socketPaths[input]) }
    let socket = device.sockets.next(at: known.1)
    try await device.ask(OpenSocketRequest(device: device.id, input: input, socket: socket))
    device.state.withLock { state in
      if state.session === known.0 { state.socketPaths[input] = socket.path }
    }
    return socket
  }

  func lend(input: String) async throws(DeviceError) -> String {
    try await device.ask(LendRequest(device: device.id, input: input))
  }
}
