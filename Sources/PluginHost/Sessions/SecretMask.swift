import JSON
import PluginProtocol
import Synchronization

/// Hides the secrets of a plugin in all of its output, so that an error that quotes a password does
/// not put it into a status, a log or an event.
///
/// A secret is found as it is, as JSON writes it inside a text, and percent-encoded; of a secret of
/// several lines, each line too. A secret of fewer than four characters is not hidden: the mask
/// would appear inside ordinary words and reveal the secret. In a message, a word of the protocol is
/// left as it is, so that the controller can read the message.
package struct SecretMask: Sendable {
  /// A secret or line of fewer characters is not hidden.
  package static let shortest = 4
  /// The replacement of a secret.
  package static let cover = "[secret]"

  /// The forms of all secrets in UTF-8, longest first.
  private let patterns: [[UInt8]]
  private let beginnings: Set<UInt8>
  /// Whole texts of messages that are not changed, beside ``ProtocolWords``.
  private let keptTexts: Set<String>

  /// A mask for these secrets; without any it changes nothing.
  ///
  /// - Parameter texts: Whole texts of messages that are not changed, such as the id of the plugin.
  package init(_ secrets: some Sequence<String> = [], keeping texts: Set<String> = []) {
    keptTexts = texts
    let pieces = secrets.flatMap { [$0] + $0.split(whereSeparator: \.isNewline).map(String.init) }
    let forms = pieces.filter { $0.count >= Self.shortest }.flatMap(Self.forms)
    patterns = Set(forms.map { Array($0.utf8) }).sorted { $0.count > $1.count }
    beginnings = Set(patterns.compactMap(\.first))
  }

  /// Whether there is nothing to hide.
  var isEmpty: Bool { patterns.isEmpty }
  /// The bytes of the longest form of a secret.
  var longest: Int { patterns.first?.count ?? 0 }

  // MARK: Hiding

  /// The text without secrets.
  package func masked(_ text: String) -> String {
    isEmpty ? text : String(decoding: masked(Array(text.utf8)), as: UTF8.self)
  }

  /// The bytes without secrets.
  ///
  /// - Parameter isCut: Whether the line continued after them: then the beginning of a secret at
  ///   their end is hidden too.
  package func masked(_ bytes: [UInt8], isCut: Bool = false) -> [UInt8] {
    guard !isEmpty else { return bytes }
    var clean: [UInt8] = []
    clean.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.first {
      if beginnings.contains(byte) {
        if let secret = patterns.first(where: { rest.starts(with: $0) }) {
          clean += Self.cover.utf8
          rest = rest.dropFirst(secret.count)
          continue
        }
        if isCut, patterns.contains(where: { $0.starts(with: rest) }) { return clean }
      }
      clean.append(byte)
      rest = rest.dropFirst()
    }
    return clean
  }

  /// The value without secrets, in its texts and its keys. Words of the protocol stay.
  package func masked(_ json: JSON) -> JSON {
    guard !isEmpty else { return json }
    switch json {
    case .string(let text): return .string(maskedUnlessKept(text))
    case .array(let values): return .array(values.map { masked($0) })
    case .object(let members):
      return .object(JSONObject(members.map { (maskedUnlessKept($0.key), masked($0.value)) }))
    case .null, .bool, .integer, .number: return json
    }
  }

  private func maskedUnlessKept(_ text: String) -> String {
    ProtocolWords.all.contains(text) || keptTexts.contains(text) ? text : masked(text)
  }

  /// The message without secrets; the name of its device is unchanged.
  func masked(_ message: RPCMessage) -> RPCMessage {
    guard !isEmpty else { return message }
    switch message {
    case .success(let id, let result):
      guard let report = result["report"], case .object(var members) = masked(result) else {
        return .success(id: id, result: masked(result))
      }
      // It names its device as a notification does.
      members["report"] = masked(params: report)
      return .success(id: id, result: .object(members))
    case .failure(let id, let error):
      return .failure(
        id: id, RPCError(error.code, masked(error.message), data: error.data.map { masked($0) }))
    case .notification(let method, let params):
      return .notification(method: method, params: masked(params: params))
    case .request(let id, let method, let params):
      return .request(id: id, method: masked(method), params: masked(params: params))
    }
  }

  private func masked(params: JSON) -> JSON {
    guard case .object(var members) = masked(params) else { return masked(params) }
    members["device"] = params["device"]
    return .object(members)
  }

  // MARK: Forms

  private static func forms(of text: String) -> [String] {
    let inJSON = String(JSON.string(text).text().dropFirst().dropLast())
    return [
      text, inJSON, inJSON.replacing("/", with: "\\/"), asciiJSON(inJSON),
      PercentEncoding.encode(text), PercentEncoding.encode(text, uppercase: false),
    ]
  }

  /// The text with characters beyond ASCII as `\uXXXX`, as many JSON encoders write them.
  private static func asciiJSON(_ text: String) -> String {
    text.utf16.map { unit in
      unit < 0x80 ? String(UnicodeScalar(UInt8(unit))) : "\\u" + Hexadecimal.text(unit)
    }.joined()
  }
}

/// The mask of one plugin process. It grows with the devices that the process is given, and never
/// shrinks: the process still knows the secrets of devices that it has closed.
package final class ProcessSecretMask: Sendable {
  private struct State {
    var secrets: Set<String>
    var mask: SecretMask
  }
  private let state: Mutex<State>
  private let keptTexts: Set<String>

  /// A mask for these secrets at first.
  ///
  /// - Parameter texts: Whole texts of messages that are not changed, such as the id of the plugin.
  package init(_ secrets: some Sequence<String> = [], keeping texts: Set<String> = []) {
    let secrets = Set(secrets)
    keptTexts = texts
    state = Mutex(State(secrets: secrets, mask: SecretMask(secrets, keeping: texts)))
  }

  /// The mask for all secrets so far.
  package var current: SecretMask { state.withLock { $0.mask } }

  /// Hides these secrets, too, from now on.
  package func add(_ secrets: some Sequence<String>) {
    state.withLock { state in
      let all = state.secrets.union(secrets)
      guard all != state.secrets else { return }
      state = State(secrets: all, mask: SecretMask(all, keeping: keptTexts))
    }
  }
}

extension SecretMask: CustomStringConvertible, CustomReflectable {
  package var description: String { "a mask of \(patterns.count) forms" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
