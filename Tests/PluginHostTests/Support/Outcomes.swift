import Devices
import TestSupport
import Testing

/// Performs a command and returns its result.
func outcome<Command: RoleCommand>(
  of command: Command, on device: any Device, until: Completion = .settled
) async -> Result<Devices.Confirmation, DeviceError> {
  do { return .success(try await device.perform(command, until: until)) } catch {
    return .failure(error)
  }
}

extension Result {
  var success: Success? { try? get() }
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

/// Waits until a device reports a brightness in percent.
func waitForBrightness(
  _ brightness: Int, of device: any Device, sourceLocation: SourceLocation = #_sourceLocation
) async {
  let isSo = await eventually { await device.snapshot().state.brightness == brightness }
  let snapshot = await device.snapshot()
  #expect(isSo, "\(snapshot)", sourceLocation: sourceLocation)
}
