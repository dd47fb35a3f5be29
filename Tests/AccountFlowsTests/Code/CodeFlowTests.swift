import AccountFlows
import Synchronization
import TestSupport
import Testing
import Validation

/// A stub that sends codes to numbers with +49, refuses other numbers, and accepts the code 4711.
private final class Gateway: CodeRequestService, CodeService {
  private let sent = Mutex<[String]>([])
  var destinations: [String] { sent.withLock { $0 } }

  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    guard contact.hasPrefix("+49") else {
      throw .refused(Refusal("notReachable", field: "phone", message: "Nobody there."))
    }
    let number = sent.withLock { sent in
      sent.append(contact)
      return sent.count
    }
    return CodeTicket(request: "r\(number)", length: 4, wait: 2 * number, destination: contact)
  }

  func verify(_ code: String, request: String) async throws(ScreenFailure) -> Authorization {
    guard code == "4711", request == "r\(destinations.count)" else {
      throw .refused(Refusal("codeWrong", message: "Wrong.", triesLeft: 4))
    }
    return .personalDataNeeded
  }
}

private let phone = FieldDeclaration(
  "phone", label: "phone number", rules: [Rule(.notEmpty), Rule(.phone)])
private let number = "+49 170 1234567"

@Suite("from a phone number to a code", .timeLimit(.minutes(5)))
struct CodeFlowTests {
  @Test("D1 D6 · corrects the number, then tries a wrong code, a new code and the right one")
  func evening() async {
    let (gateway, clock) = (Gateway(), ManualClock())
    await withRunning(CodeFlow(phone).driver(gateway, clock: clock)) { harness in
      await harness.send(.contact(.typed("+33 612 345 678")))
      await harness.send(.contact(.submit))
      await harness.wait { $0.screen.failure != nil }
      await harness.send(.contact(.typed(number)))
      await harness.send(.contact(.submit))
      await harness.waitFor(.code(.countdown(2)))
      #expect(harness.screen?.step == .code)
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
      await harness.waitFor(.code(.countdown(1)))
      // A wrong code does not change the countdown.
      await harness.send(.code(.typed("1111")))
      await harness.wait { $0.screen.failure != nil }
      #expect(harness.screen?.code?.countdown == 1 && harness.screen?.code?.triesLeft == 4)
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
      await harness.waitFor(.code(.countdown(0)))
      await harness.send(.code(.sendAgain))
      await harness.waitFor(.code(.newCodeRequested))
      #expect(gateway.destinations == [number, number])
      await harness.send(.code(.typed("4711")))
      await harness.waitFor(.code(.authorized(.personalDataNeeded)))
    }
  }

  @Test("D1 B7 · requests a code once, and only for a valid phone number")
  func onlyValid() {
    var played = Played(CodeRequestScreen(phone))
    played.send(.submit, .typed("ann"), .submit)
    #expect(played.newWork() == [])
    #expect(played.screen.form[played.screen.field]?.display == .invalidShown)
    played.send(.typed(number), .submit, .submit, .typed("+1"))
    #expect(played.newWork() == [.request(number)])
    #expect(
      played.newOutputs() == [.canSubmit(true), .canSubmit(false), .loading(true)])
    played.answer(.requested(.failure(.network("The connection broke."))))
    #expect(played.screen.canSubmit && !played.screen.isLoading)
  }

  // MARK: The way back

  private func ticket(_ request: String, wait: Int = 30) -> CodeFlow.Answer {
    .requested(.success(CodeTicket(request: request, length: 4, wait: wait)))
  }

  private func atCode(_ flow: CodeFlow = CodeFlow(phone, contact: number)) -> Played<CodeFlow> {
    var played = Played(flow)
    played.answer(ticket("r1"))
    return played
  }

  @Test("D1 · sends the code at once if the address is known")
  func known() {
    var played = Played(CodeFlow(phone, contact: number))
    #expect(played.newWork() == [.request(number)] && played.screen.isLoading)
    played.answer(ticket("r1"))
    #expect(played.screen.step == .code && played.screen.sentTo == number)
    #expect(played.newWork() == [.tick(at: .seconds(1))])
  }

  @Test("D1 D8 · a refused address can be corrected on the same screen")
  func refused() {
    var played = Played(CodeFlow(phone, contact: "nonsense"))
    #expect(played.newWork() == [] && played.screen.step == .contact)
    played.send(.contact(.typed(number)), .contact(.submit))
    #expect(played.newWork() == [.request(number)])
    let early = ScreenFailure.refused(
      Refusal("tooEarly", message: "Not long ago.", retryAfter: 12))
    played.answer(.requested(.failure(early)))
    #expect(played.screen.failure == early && !played.screen.isLocked)
    played.send(.contact(.submit))
    #expect(played.newWork() == [.request(number)])
  }

  @Test("D1 · Escape leads back to the number; the same number keeps the code and its countdown")
  func backAndForth() {
    var played = atCode()
    _ = played.newWork()
    played.now = .seconds(1)
    played.answer(.ticked)
    played.send(.back)
    #expect(played.screen.step == .contact && played.screen.contactScreen.contact == number)
    // The countdown goes on meanwhile.
    played.now = .seconds(2)
    played.answer(.ticked)
    played.send(.contact(.submit))
    #expect(played.screen.step == .code && played.screen.code?.countdown == 28)
    #expect(played.newWork() == [.tick(at: .seconds(2)), .tick(at: .seconds(3))])
    played.send(.code(.typed("4711")))
    #expect(played.newWork() == [.verify("4711", request: "r1")])
  }

  @Test("D1 D6 · another number gets a new code with its own countdown")
  func anotherNumber() {
    var played = atCode()
    played.send(.code(.typed("12")), .back, .contact(.typed("+49 30 1234567")), .contact(.submit))
    played.now = .milliseconds(500)
    played.answer(ticket("r2", wait: 60))
    #expect(
      played.newWork() == [
        .request(number), .tick(at: .seconds(1)), .request("+49 30 1234567"),
      ])
    #expect(played.screen.code?.countdown == 60 && played.screen.code?.code == "")
    played.now = .seconds(1)
    played.answer(.ticked)
    #expect(played.newWork() == [.tick(at: .milliseconds(1500))])
    played.send(.code(.typed("4711")))
    #expect(played.newWork() == [.verify("4711", request: "r2")])
  }

  @Test("D5 · Escape does nothing while a request is under way")
  func locked() {
    var played = atCode()
    played.send(.code(.typed("4711")), .back, .contact(.typed("+49 30 7654321")))
    #expect(played.screen.step == .code && played.screen.contactScreen.contact == number)
    played.answer(.verified(.success(.done)))
    #expect(played.screen.isOver && played.screen.authorization == .done)
  }
}
