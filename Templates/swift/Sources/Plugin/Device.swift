import Devices
import JSON
import PluginKit

/// A device of the role __ROLE__. Call your device before each report, and report its true state.
struct Device: PluginDevice {
  let context: DeviceContext
  private let logs: Bool

  init(_ context: DeviceContext) throws(DeviceError) {
    self.context = context
    logs = context.options["log"]?.bool ?? false
  }

  func open() async throws(DeviceError) -> Capabilities {
    // Connect to your device here. Throw a DeviceError if it cannot be reached.
    context.report(__STATE__)
    return Capabilities()
  }

  func perform(_ command: __COMMAND_TYPE__) async throws(DeviceError) {
    if logs { context.log(.info, "\(command)") }
    switch command {
__COMMANDS__
    }
  }

  func close() async {
    // Release here what `open` has taken: the connection, files, threads, child processes.
  }
}

let plugin = Plugin(id: "__ID__", version: "1.0.0", devices: [DeviceMaker(Device.init)])
