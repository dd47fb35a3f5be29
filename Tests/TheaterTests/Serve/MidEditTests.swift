import Devices
import HomeTheater
import JSON
import TestSupport
import TheaterConfiguration
import Testing

@testable import theater

/// Generates the states of a file during an edit.
private struct MidEdits {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// A number below `bound` (SplitMix64).
  mutating func number(below bound: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return Int((value ^ (value >> 31)) % UInt64(max(1, bound)))
  }

  /// One of the versions whole, or truncated, mixed with another one, or with pieces swapped, repeated
  /// or lost.
  mutating func next(_ versions: [[UInt8]]) -> [UInt8] {
    let text = versions[number(below: versions.count)]
    let other = versions[number(below: versions.count)]
    let place = number(below: text.count + 1)
    switch number(below: 8) {
    case 0: return text
    case 1, 2: return Array(text[..<place])
    case 3: return Array(text[..<place] + other.dropFirst(place))
    case 4: return Array(other.suffix(number(below: 200)) + text[place...])
    case 5: return swappingLines(text)
    case 6:
      let end = min(text.count, place + number(below: 40))
      return Array(text[..<end] + text[place...])
    default:
      let end = min(text.count, place + number(below: 40))
      return Array(text[..<place] + text[end...])
    }
  }

  private mutating func swappingLines(_ text: [UInt8]) -> [UInt8] {
    var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    lines.swapAt(number(below: lines.count), number(below: lines.count))
    return Array(lines.joined(separator: [UInt8(ascii: "\n")]))
  }
}

@Suite struct MidEditTests {
  private static let versions = [
    RuntimeHarness.text(),
    RuntimeHarness.text(amp: #""plugin": "Simulated", "options": {"speed": 2}"#),
    RuntimeHarness.text(
      lights: #""plugin": "Simulated", "process": "second""#,
      more: #", "library": {"films": [{"id": "f", "title": "A Film"}]}"#),
    RuntimeHarness.text()
      .replacing(
        #""lights": {"role""#,
        with: #""screen": {"role": "screen", "plugin": "Simulated"}, "lights": {"role""#
      )
      .replacing(#"{"dim": 10}}"#, with: #"{"dim": 10}}, {"screen": "down"}"#),
  ]

  @Test(
    "F6 · 10,000 states of a file in the middle of an edit: always exactly one valid version is in force",
    arguments: 1...4)
  func states(seed: UInt64) async throws {
    let harness = try RuntimeHarness(Self.versions[0])
    let texts = Self.versions.map { Array($0.utf8) }
    var edits = MidEdits(seed: seed)
    var valid = try harness.store.validate(texts[0]).configuration
    var (accepted, refused) = (0, 0)
    for _ in 0..<2500 {
      let text = edits.next(texts)
      harness.store.text = text
      await harness.runtime.reload()
      // The configuration that a start with this text would use.
      let isValid: Bool
      do {
        valid = try harness.store.validate(text).configuration
        isValid = true
      } catch {
        isValid = false
      }
      (accepted, refused) = isValid ? (accepted + 1, refused) : (accepted, refused + 1)
      #expect(await (harness.runtime.refusal == nil) == isValid)
      let current = await harness.runtime.current
      #expect(current.configuration.devices == valid.devices)
      #expect(current.configuration.plan == valid.plan)
      // The devices and the plan that run are those of that one version.
      #expect(harness.target.facade.plan == valid.plan)
      #expect(harness.target.hosted == current.hostedDevices)
      #expect(
        harness.target.facade.devices.mapValues(\.role)
          == Dictionary(uniqueKeysWithValues: valid.devices.map { ($0.id, $0.role) }))
    }
    #expect(accepted > 250 && refused > 1000)
    harness.store.text = texts[0]
    await harness.runtime.reload()
    #expect(await harness.runtime.current.configuration.plan == harness.target.facade.plan)
    #expect(await harness.runtime.refusal == nil)
  }
}
