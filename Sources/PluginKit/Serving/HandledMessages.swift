import Devices
import PluginProtocol

/// A request that a plugin's server handles.
protocol HandledRequest: PluginRequest {
  /// Answers the request, or hands it to its device. Called on the connection's thread.
  func handle(_ id: Int, by server: PluginServer)
}

/// A notification of the controller that a plugin's server handles.
protocol HandledNotification: ControllerNotification {
  /// Handles the notification. Called on the connection's thread.
  func handle(by server: PluginServer)
}

/// A request to one device, which waits in a queue of the device.
protocol DeviceRequest: HandledRequest {
  var device: DeviceID { get }
  /// The queue in which it waits.
  static var queue: OpenDevice.Queue { get }
  /// Carries out the request and answers it.
  func run(_ job: DeviceJob, on device: OpenDevice) async
}

extension DeviceRequest {
  static var queue: OpenDevice.Queue { .commands }
  func handle(_ id: Int, by server: PluginServer) { server.enqueue(id, self) }
}

/// A request to a device with a facet. Other devices refuse it.
protocol FacetRequest: DeviceRequest {
  /// The type of the devices that have it: `any PlayerDevice`.
  associatedtype Facet
  /// Carries out the request.
  func answer(by device: Facet) async throws(DeviceError) -> Answer
}

extension FacetRequest {
  func run(_ job: DeviceJob, on device: OpenDevice) async {
    await device.answer(job.id) { (device) throws(DeviceError) in
      guard let device = device as? Facet else { throw .noCable }
      return Self.encodeAnswer(try await answer(by: device))
    }
  }
}

/// The messages of ``PluginContract`` that a plugin's server handles, by method.
enum MessageHandlers {
  static let requests = Dictionary(
    uniqueKeysWithValues: PluginContract.messages.compactMap { $0 as? any HandledRequest.Type }
      .map { ($0.method, $0) })
  static let notifications = Dictionary(
    uniqueKeysWithValues: PluginContract.messages.compactMap { $0 as? any HandledNotification.Type }
      .map { ($0.method, $0) })
}
