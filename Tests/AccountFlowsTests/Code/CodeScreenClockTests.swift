import AccountFlows
import Synchronization
import TestSupport
import Testing

private let wrong = ScreenFailure.refused(Refusal("codeWrong", message: "The code is wrong."))

/// A stub that accepts the code 7777 and refuses all others. With `isHeld` it answers none before
/// the screen is left.
private final class StubCodeService: CodeService, CodeRequestService {
  private let log = Mutex<[String]>([])
  private let isHeld: Bool
  private let wait: Int

  init(wait: Int = 0, isHeld: Bool = false) {
    self.wait = wait
    self.isHeld = isHeld
  }

  var requests: [String] { log.withLock { $0 } }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    log.withLock { $0.append(code) }
    if isHeld {
      // The sleep ends when the screen is left, which cancels the task.
      do {
        try await Task.sleep(for: .seconds(600))
      } catch {
        log.withLock { $0.append("cancelled") }
        throw .network("cancelled")
      }
    }
    guard code == "7777" else { throw wrong }
    return .done
  }

  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    log.withLock { $0.append("again to \(contact)") }
    return CodeTicket(length: 4, wait: wait)
  }
}

@Suite("the one-time code screen, by the clock", .timeLimit(.minutes(5)))
struct CodeScreenClockTests {
  private let clock = ManualClock()

  private func driver(_ service: StubCodeService, wait: Int) -> ScreenDriver<CodeScreen> {
    CodeScreen(CodeTicket(length: 4, wait: wait)).driver(
      service: service, contact: "+49 170 1234567", clock: clock)
  }

  @Test("D6 D7 · a countdown of 2 shows 2, 1, 0, and then offers to send again")
  func countdown() async {
    await withRunning(driver(StubCodeService(), wait: 2)) { harness in
      await harness.waitFor(.countdown(2))
      #expect(harness.outputs == [.countdownIsRunning(true), .countdown(2)])
      for second in [1, 0] {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await harness.waitFor(.countdown(second))
      }
      #expect(
        harness.outputs == [
          .countdownIsRunning(true), .countdown(2), .countdown(1), .countdown(0),
          .countdownIsRunning(false),
        ])
      #expect(harness.screen?.canSendAgain == true)
    }
  }

  @Test("D6 D7 · a request for a new code restarts the countdown")
  func again() async {
    await withRunning(driver(StubCodeService(wait: 2), wait: 2)) { harness in
      for _ in 1...2 {
        for second in [2, 1, 0] {
          await harness.waitFor(.countdown(second))
          if second > 0 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
          }
        }
        await harness.send(.sendAgain)
      }
      let seconds = harness.outputs.compactMap { output -> Int? in
        if case .countdown(let seconds) = output { seconds } else { nil }
      }
      #expect(seconds == [2, 1, 0, 2, 1, 0])
    }
  }

  @Test("D3 D7 · typing 1111 digit by digit reports exactly one error")
  func oneError() async {
    let service = StubCodeService()
    await withRunning(driver(service, wait: 0)) { harness in
      for text in ["1", "11", "111", "1111"] { await harness.send(.typed(text)) }
      await harness.waitFor(.failure(wrong))
      // A second error would arrive before this answer.
      await harness.send(.typed("7777"))
      await harness.waitFor(.authorized(.done))
      #expect(harness.outputs.filter { $0 == .failure(wrong) }.count == 1)
      #expect(service.requests == ["1111", "7777"])
    }
  }

  @Test("D1 D4 · two wrong codes, a new code and the right one work on one screen")
  func evening() async {
    let service = StubCodeService()
    await withRunning(driver(service, wait: 0)) { harness in
      for _ in 1...2 {
        await harness.send(.typed("1111"))
        await harness.waitFor(.failure(wrong))
      }
      await harness.send(.sendAgain)
      await harness.waitFor(.newCodeRequested)
      await harness.send(.typed("7777"))
      await harness.waitFor(.authorized(.done))
      #expect(service.requests == ["1111", "1111", "again to +49 170 1234567", "7777"])
    }
  }

  @Test("D5 · leaving the screen cancels the request and its countdown")
  func leaving() async {
    let service = StubCodeService(isHeld: true)
    await withRunning(driver(service, wait: 30)) { harness in
      await harness.send(.typed("1111"))
      await harness.waitFor(.loading(true))
      await clock.waitForSleepers()
      #expect(await eventually { service.requests == ["1111"] })
    }
    // `withRunning` returns only when everything that the screen started has ended.
    #expect(service.requests == ["1111", "cancelled"])
    #expect(clock.sleeperCount == 0)
  }
}
