import Devices
import JSON

extension RPCError {
  /// A device's refusal for the wire, with its texts cut to `ProtocolLimits.message`.
  public init(_ error: DeviceError) {
    var data: JSONObject = ["kind": .string(error.code.rawValue)]
    if let hint = error.hint {
      data["hint"] = .string(hint.boundedLine(maximumBytes: ProtocolLimits.message))
    }
    if let wait = error.retryAfter { data["retryAfter"] = .number(wait.seconds) }
    self.init(
      Self.deviceErrorCode, error.message.boundedLine(maximumBytes: ProtocolLimits.message),
      data: .object(data))
  }

  /// The refusal that this error carries; what is not a device's own counts as failed.
  public func deviceError(device: DeviceID) -> DeviceError {
    let kind = data?["kind"]?.string.flatMap(DeviceError.Code.init)
    let fallback: DeviceError.Code =
      code == Self.invalidParamsCode || code == Self.unknownMethodCode ? .unsupported : .failed
    let wait = data?["retryAfter"]?.number.flatMap { seconds in
      (0...3600).contains(seconds) ? Duration.milliseconds(Int64(seconds * 1000)) : nil
    }
    return DeviceError(
      kind ?? fallback, message, hint: data?["hint"]?.string, device: device, retryAfter: wait)
  }
}
