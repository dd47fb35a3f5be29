import Devices
import Platform
import PluginKit
import Synchronization

/// A device whose commands fail as its ``Faults`` say. The faults of one device do not delay other devices.
final class FaultyDevice<Base: PluginDevice>: PluginDevice {
  typealias Command = Base.Command

  let base: Base
  private let faults: Faults
  private let clock: any TheaterClock
  private let endProcess: @Sendable () -> Void
  private let performed = Mutex(0)

  init(
    _ base: Base, faults: Faults, clock: any TheaterClock,
    endProcess: @escaping @Sendable () -> Void
  ) {
    self.base = base
    self.faults = faults
    self.clock = clock
    self.endProcess = endProcess
  }

  func open() async throws(DeviceError) -> Capabilities { try await base.open() }

  func perform(_ command: Command) async throws(DeviceError) {
    if !faults.isEmpty, isDue() { try await fail(command.invocation.name.rawValue) }
    try await base.perform(command)
  }

  func close() async { await base.close() }

  /// Counts a command. Returns whether the faults have begun.
  private func isDue() -> Bool {
    performed.withLock { count in
      defer { count += 1 }
      return count >= faults.after
    }
  }

  private func fail(_ name: String) async throws(DeviceError) {
    if faults.dies.contains(name) { endProcess() }
    if faults.silent.contains(name) {
      // Until the command is cancelled or the device closed.
      while true { try await sleep(.seconds(3600)) }
    }
    if faults.slow > .zero { try await sleep(faults.slow) }
    if faults.refuses.contains(name) {
      throw DeviceError(
        .refused, "the device refuses \"\(name)\"", hint: "Its option \"faults\" asks for this.")
    }
  }

  private func sleep(_ time: Duration) async throws(DeviceError) {
    do {
      try await clock.sleep(for: time)
    } catch {
      throw DeviceError(.cancelled, "cancelled before it was done")
    }
  }
}

extension FaultyDevice: PlayerDevice where Base: PlayerDevice {
  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    try await base.scan(folder: folder)
  }
  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await base.plug(into: socket)
  }
  func plug(pcm: String) async throws(DeviceError) { try await base.plug(pcm: pcm) }
  func unplug() async throws(DeviceError) { try await base.unplug() }
}

extension FaultyDevice: AmplifierDevice where Base: AmplifierDevice {
  func openSocket(_ socket: CableSocket, input: String) async throws(DeviceError) {
    try await base.openSocket(socket, input: input)
  }
  func lend(input: String) async throws(DeviceError) -> String {
    try await base.lend(input: input)
  }
  func setMetering(_ isOn: Bool) { base.setMetering(isOn) }
}
