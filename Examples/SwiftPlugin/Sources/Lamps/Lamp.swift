import Devices
import Glibc
import JSON
import PluginKit

/// A lamp that Linux shows as a file: /sys/class/leds/NAME/brightness, 0 to 255.
struct Lamp: PluginDevice {
  let context: DeviceContext
  let path: String

  init(_ context: DeviceContext) throws(DeviceError) {
    self.context = context
    path = context.options["path"]?.string ?? "/sys/class/leds/lamp/brightness"
  }

  func open() async throws(DeviceError) -> Capabilities {
    try shine(0)
    return Capabilities()
  }

  func perform(_ command: LightsCommand) async throws(DeviceError) {
    switch command {
    case .on: try shine(100)
    case .off: try shine(0)
    case .dim(let brightness): try shine(brightness)
    }
  }

  private func shine(_ brightness: Int) throws(DeviceError) {
    guard let file = fopen(path, "w") else { throw unwritable }
    let isAccepted = fputs("\(brightness * 255 / 100)\n", file) >= 0
    // Closing the file writes the bytes.
    guard fclose(file) == 0, isAccepted else { throw unwritable }
    context.report([.power: brightness > 0 ? "on" : "off", .brightness: .integer(brightness)])
  }

  private var unwritable: DeviceError {
    DeviceError(.unavailable, "\(path) cannot be written", hint: "Is the lamp connected?")
  }
}

let lamps = Plugin(id: "Lamps", version: "1.0.0", devices: [DeviceMaker(Lamp.init)])
