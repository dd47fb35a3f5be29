import Devices
import PluginProtocol
import Synchronization

/// The catalogue and the pictures of a plugin's player or tuner.
struct MediaSourceProxy: MediaSource {
  /// The player or tuner.
  let device: DeviceProxy

  /// The items of all pages, within the limits of a catalogue, and the files that the plugin leaves out.
  func listCatalogue(folder: String?) async throws(DeviceError) -> CatalogueListing {
    var scan = CatalogueScan(from: device.now)
    while let cursor = scan.cursor {
      let page = try await device.ask(
        ScanRequest(device: device.id, folder: folder, cursor: cursor))
      scan.append(page, at: device.now)
    }
    if let fault = scan.fault { device.change { core, _ in core.warnOfCutCatalogue(fault) } }
    return scan.listing
  }

  func picture(of item: String) async throws(DeviceError) -> ItemPicture? {
    guard device.role.has(.playback), !device.state.withLock({ $0.lacksPictures }) else {
      return nil
    }
    let session = try device.openSession()
    let answer: PictureRequest.Answer
    do throws(PluginSession.Failure) {
      answer = try await session.ask(PictureRequest(device: device.id, item: item))
    } catch {
      guard case .refused(let refusal) = error, refusal.code == RPCError.unknownMethodCode else {
        throw error.deviceError(device: device.id, asked: PictureRequest.method)
      }
      device.state.withLock { state in
        if state.session === session { state.lacksPictures = true }
      }
      return nil
    }
    if let fault = answer.fault { device.change { core, _ in core.warnOfDroppedPicture(fault) } }
    return answer.picture
  }
}
