import JSON
import PluginProtocol
import Synchronization

/// The last lines that a plugin wrote to stderr or sent as `log`, oldest first: bounded in number and length,
/// and without secrets.
package final class PluginLog: Sendable {
  private static let longestLine = ProtocolLimits.stderrLine

  private struct State {
    var lines: [String] = []
    /// The line of stderr that has no end yet.
    var partial: [UInt8] = []
    var isCut = false
  }

  /// Hides the plugin's secrets.
  private let mask: ProcessSecretMask
  private let state = Mutex(State())

  package init(mask: ProcessSecretMask = ProcessSecretMask()) { self.mask = mask }

  /// The last lines, oldest first.
  package var lines: [String] {
    state.withLock { state in
      let last = shown(state.partial, isCut: state.isCut, isWhole: false)
      return last.isEmpty ? state.lines : state.lines + [last]
    }
  }

  /// Appends bytes of stderr and returns the lines that they complete.
  func append(_ bytes: UnsafeBufferPointer<UInt8>) -> [String] {
    state.withLock { state in
      var complete: [String] = []
      let longest = Self.longestLine + mask.current.longest
      for byte in bytes {
        if byte == 0x0A {
          complete.append(finishLine(in: &state))
        } else if state.partial.count < longest {
          state.partial.append(byte)
        } else {
          state.isCut = true
        }
      }
      return complete.filter { !$0.isEmpty }
    }
  }

  /// Appends a whole line that holds no secrets.
  func append(_ line: String) {
    let line = line.boundedLine(maximumBytes: Self.longestLine)
    state.withLock { Self.append(line, to: &$0) }
  }

  /// Returns the line without secrets, and cut to the longest length.
  ///
  /// - Parameter isWhole: Whether these bytes are the whole line.
  private func shown(_ line: [UInt8], isCut: Bool, isWhole: Bool) -> String {
    let text = String(decoding: mask.current.masked(line, isCut: !isWhole), as: UTF8.self)
    return (isCut ? text + "…" : text).boundedLine(maximumBytes: Self.longestLine)
  }

  private func finishLine(in state: inout State) -> String {
    let line = shown(state.partial, isCut: state.isCut, isWhole: !state.isCut)
    state.partial.removeAll(keepingCapacity: true)
    state.isCut = false
    Self.append(line, to: &state)
    return line
  }

  private static func append(_ line: String, to state: inout State) {
    guard !line.isEmpty else { return }
    if state.lines.count >= ProtocolLimits.logLines { state.lines.removeFirst() }
    state.lines.append(line)
  }
}
