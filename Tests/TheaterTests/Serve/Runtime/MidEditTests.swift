import Devices
import HomeTheater
import JSON
import TestSupport
import TheaterConfiguration
import Testing
import TheaterLoader

@testable import theater

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
  func states(seed: Int) async throws {
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
