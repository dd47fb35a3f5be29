import Devices
import PluginProtocol

extension ScanRequest: DeviceRequest {
  static let queue = OpenDevice.Queue.scans

  func run(_ job: DeviceJob, on device: OpenDevice) async {
    await device.scan(job.id, folder, cursor)
  }
}

extension PictureRequest: DeviceRequest {
  static let queue = OpenDevice.Queue.pictures

  func run(_ job: DeviceJob, on device: OpenDevice) async {
    await device.answer(job.id) { (device) throws(DeviceError) in
      let player = device as? any PlayerDevice
      return Self.encodeAnswer(.init(try await player?.picture(of: item)))
    }
  }
}
