import Devices
import JSON
import Platform
import PluginKit

/// The tray of a drive, and the reports of its state.
actor Tray {
  /// The reported state: `open`, `moving` or `closed`.
  private(set) var state = "closed"
  private let drive: Drive
  private let context: DeviceContext
  private let clock: any TheaterClock

  init(_ drive: Drive, context: DeviceContext, clock: any TheaterClock) {
    self.drive = drive
    self.context = context
    self.clock = clock
  }

  /// Reads the state from the drive, and reports it.
  func read() async {
    guard await drive.isDevice() else { return }
    set(await drive.state() == .openTray ? "open" : "closed")
  }

  /// Closes an open tray. Then waits until the drive is no longer busy, at most until `deadline`. A tray without a
  /// motor
  /// stays open.
  func close(until deadline: Duration) async {
    guard await drive.isDevice() else { return set("closed") }
    var state = await drive.state()
    if state == .openTray {
      set("moving")
      state = await drive.closeTray(until: deadline, on: clock)
    }
    set(state == .openTray ? "open" : "closed")
  }

  /// Opens the tray. An image or folder has none, but works like a drive.
  ///
  /// - Throws: `refused` if the drive does not open.
  func eject() async throws(DeviceError) {
    if await drive.isDevice() {
      set("moving")
      do throws(SystemError) {
        try await drive.eject(on: clock)
      } catch {
        await read()
        throw .notEjected(drive.path, error)
      }
    }
    set("open")
  }

  /// Reports a state that has changed.
  private func set(_ state: String) {
    guard self.state != state else { return }
    self.state = state
    context.report([.tray: .string(state)])
  }
}
