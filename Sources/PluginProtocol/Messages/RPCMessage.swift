import Devices
import JSON

/// One JSON-RPC 2.0 message. Ids are whole numbers; batches are not used.
public enum RPCMessage: Sendable, Hashable {
  /// Expects an answer with the same id, unique among the sender's open requests.
  case request(id: Int, method: String, params: JSON)
  /// Expects no answer.
  case notification(method: String, params: JSON)
  /// The answer to the request with this id.
  case success(id: Int, result: JSON)
  /// Without an id when the request could not even be read.
  case failure(id: Int?, RPCError)
}

/// The error object of JSON-RPC 2.0.
public struct RPCError: Error, Sendable, Hashable {
  /// One of the codes below, or the plugin's own.
  public let code: Int
  /// For people.
  public let message: String
  /// Details for programs; see `deviceErrorCode`.
  public let data: JSON?

  public init(_ code: Int, _ message: String, data: JSON? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  /// The line is no JSON.
  public static let parseErrorCode = -32700
  /// The JSON is no request, or the line is too long.
  public static let invalidRequestCode = -32600
  /// The method is not known.
  public static let unknownMethodCode = -32601
  /// A param is missing, of the wrong kind, or names a device that is not open.
  public static let invalidParamsCode = -32602
  /// The receiver has failed.
  public static let internalErrorCode = -32603
  /// A device's answer; `data.kind` says which (`DeviceError.Code`).
  public static let deviceErrorCode = -32000
  /// The plugin speaks another major version.
  public static let versionErrorCode = -32001
}

extension RPCMessage {
  /// Reads one line without copying it.
  ///
  /// - Throws: The JSON-RPC error for an invalid line.
  public init(line: UnsafeBufferPointer<UInt8>) throws(RPCError) {
    let json: JSON
    do {
      json = try JSON(parsing: line)
    } catch {
      throw RPCError(RPCError.parseErrorCode, "not JSON: \(error)")
    }
    try self.init(json)
  }

  /// Reads one line.
  ///
  /// - Throws: The JSON-RPC error for an invalid line.
  public init(line: some Sequence<UInt8>) throws(RPCError) {
    let bytes = Array(line)
    self = try bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(RPCError) in try RPCMessage(line: bytes) }
    }.get()
  }

  /// Reads one message. Unknown keys are ignored.
  public init(_ json: JSON) throws(RPCError) {
    guard let object = json.object, object["jsonrpc"]?.string == "2.0" else {
      throw RPCError(RPCError.invalidRequestCode, "\"jsonrpc\": \"2.0\" is missing")
    }
    let id = object["id"]?.integer
    if let method = object["method"]?.string {
      let params = object["params"] ?? .object([:])
      guard object["id"] != nil else {
        self = .notification(method: method, params: params)
        return
      }
      guard let id else {
        throw RPCError(RPCError.invalidRequestCode, "\"id\" must be a whole number")
      }
      self = .request(id: id, method: method, params: params)
    } else if let error = object["error"] {
      guard let code = error["code"]?.integer, let message = error["message"]?.string else {
        throw RPCError(
          RPCError.invalidRequestCode, "\"error\" needs a whole \"code\" and a \"message\"")
      }
      self = .failure(id: id, RPCError(code, message, data: error["data"]))
    } else if let result = object["result"], let id {
      self = .success(id: id, result: result)
    } else {
      throw RPCError(
        RPCError.invalidRequestCode, "neither a request nor a notification nor a response")
    }
  }

  /// The message as a line with its newline, keys in the order of the documentation.
  public func line() -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(256)
    line += #"{"jsonrpc":"2.0""#.utf8
    switch self {
    case .request(let id, let method, let params):
      Self.append("id", .integer(id), to: &line)
      Self.append("method", .string(method), to: &line)
      Self.append("params", params, to: &line)
    case .notification(let method, let params):
      Self.append("method", .string(method), to: &line)
      Self.append("params", params, to: &line)
    case .success(let id, let result):
      Self.append("id", .integer(id), to: &line)
      Self.append("result", result, to: &line)
    case .failure(let id, let error):
      Self.append("id", id.map { .integer($0) } ?? .null, to: &line)
      Self.append("error", error.json, to: &line)
    }
    line += "}\n".utf8
    return line
  }

  /// Appends a member to the line directly, without a JSON value of the whole message.
  private static func append(_ key: String, _ value: JSON, to line: inout [UInt8]) {
    line.append(UInt8(ascii: ","))
    JSON.string(key).append(to: &line)
    line.append(UInt8(ascii: ":"))
    value.append(to: &line)
  }
}

extension RPCError {
  fileprivate var json: JSON {
    var object: JSONObject = ["code": .integer(code), "message": .string(message)]
    if let data { object["data"] = data }
    return .object(object)
  }
}

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

  /// The refusal that this error carries. Without `data.kind`, an unknown method or a wrong param counts
  /// as `unsupported`, and any other error as `failed`.
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
