import Devices
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

/// Runs `body`, which may block for a disk or a socket, on a separate thread.
func onSeparateThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
  await withCheckedContinuation { continuation in
    SystemThread.start(name: "libav wait") { continuation.resume(returning: body()) }
  }
}

extension CableSource {
  /// Connects the cable; the sink may take 2 s to answer.
  func plug(into socket: CableSocket) async throws(DeviceError) {
    let failure = await onSeparateThread { () -> CableError? in
      do throws(CableError) {
        try self.connect(path: socket.path, token: socket.token)
        return nil
      } catch {
        return error
      }
    }
    guard let failure else { return }
    throw DeviceError(.failed, failure.message, hint: "Is the amplifier's plugin running?")
  }
}
