import Devices

/// How a command ended.
func outcome<Command: RoleCommand>(
  of command: Command, on device: any Device, until: Completion = .settled
) async -> Result<Confirmation, DeviceError> {
  do { return .success(try await device.perform(command, until: until)) } catch {
    return .failure(error)
  }
}

extension Result {
  var success: Success? { try? get() }
  var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
