import AccountFlows
import Synchronization
import TestSupport
import Testing

private let wrong = ScreenFailure.refused(Refusal("codeWrong", message: "The code is wrong."))

/// Codes that are answered by what a test laid out; `right` is right.
private final class CodeDesk: CodeService, CodeRequestService {
  private let asked = Mutex<[String]>([])
  private let isHeld: Bool
  private let wait: Int

  init(wait: Int = 0, isHeld: Bool = false) {
    self.wait = wait
    self.isHeld = isHeld
  }

  var requests: [String] { asked.withLock { $0 } }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    asked.withLock { $0.append(code) }
    if isHeld {
      // Until the screen is left.
      do { try await Task.sleep(for: .seconds(600)) } catch { throw .network("cancelled") }
    }
    guard code == "7777" else { throw wrong }
    return .done
  }

  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    asked.withLock { $0.append("again to \(contact)") }
    return CodeTicket(length: 4, wait: wait)
  }
}

@Suite("the one-time code screen, by the clock", .timeLimit(.minutes(5)))
struct CodeScreenClockTests {
  private let clock = ManualClock()

  private func driver(_ desk: CodeDesk, wait: Int) -> ScreenDriver<CodeScreen> {
    CodeScreen(CodeTicket(length: 4, wait: wait)).driver(
      service: desk, contact: "+49 170 1234567", clock: clock)
  }

  @Test("D6 D7 · a countdown of 2 tells 2, 1, 0, and then offers to send again")
  func countdown() async {
    await onStage(driver(CodeDesk(), wait: 2)) { stage in
      await stage.waitFor(.countdown(2))
      #expect(stage.outputs == [.countdownIsRunning(true), .countdown(2)])
      for second in [1, 0] {
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        await stage.waitFor(.countdown(second))
      }
      #expect(
        stage.outputs == [
          .countdownIsRunning(true), .countdown(2), .countdown(1), .countdown(0),
          .countdownIsRunning(false),
        ])
      #expect(stage.screen?.canSendAgain == true)
    }
  }

  @Test("D6 D7 · a request for a new code starts the countdown anew, down to 0")
  func again() async {
    await onStage(driver(CodeDesk(wait: 2), wait: 2)) { stage in
      for _ in 1...2 {
        for second in [2, 1, 0] {
          await stage.waitFor(.countdown(second))
          if second > 0 {
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
          }
        }
        await stage.send(.sendAgain)
      }
      let seconds = stage.outputs.compactMap { output -> Int? in
        if case .countdown(let seconds) = output { seconds } else { nil }
      }
      #expect(seconds == [2, 1, 0, 2, 1, 0])
    }
  }

  @Test("D3 D7 · a failure after 1, 11, 111, 1111 tells exactly one error")
  func oneError() async {
    let desk = CodeDesk()
    await onStage(driver(desk, wait: 0)) { stage in
      for text in ["1", "11", "111", "1111"] { await stage.send(.typed(text)) }
      await stage.waitFor(.failure(wrong))
      // Whatever else would come has come before this answer.
      await stage.send(.typed("7777"))
      await stage.waitFor(.authorized(.done))
      #expect(stage.outputs.filter { $0 == .failure(wrong) }.count == 1)
      #expect(desk.requests == ["1111", "7777"])
    }
  }

  @Test("D1 D4 · wrong, wrong, a new code, right: one evening on one screen")
  func evening() async {
    let desk = CodeDesk()
    await onStage(driver(desk, wait: 0)) { stage in
      for _ in 1...2 {
        await stage.send(.typed("1111"))
        await stage.waitFor(.failure(wrong))
      }
      await stage.send(.sendAgain)
      await stage.waitFor(.newCodeRequested)
      await stage.send(.typed("7777"))
      await stage.waitFor(.authorized(.done))
      #expect(desk.requests == ["1111", "1111", "again to +49 170 1234567", "7777"])
    }
  }

  @Test("D5 · leaving the screen ends the request and the clock with it")
  func leaving() async {
    let desk = CodeDesk(isHeld: true)
    await onStage(driver(desk, wait: 30)) { stage in
      await stage.send(.typed("1111"))
      await stage.waitFor(.loading(true))
      await clock.waitForSleepers()
    }
    // `onStage` returns only when everything that the screen started has ended.
    #expect(desk.requests.count <= 1)
  }
}
