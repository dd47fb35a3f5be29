import AccountScreens
import Synchronization
import TestSupport
import Testing
import Validation

/// Sends codes to phones and takes them back.
private final class Gateway: CodeRequestService, CodeService {
  private let sent = Mutex<[String]>([])
  var destinations: [String] { sent.withLock { $0 } }

  func requestCode(for contact: String) async throws(ScreenFailure) -> CodeTicket {
    guard contact.hasPrefix("+49") else {
      throw .refused(Refusal("notReachable", field: "phone", message: "Nobody there."))
    }
    sent.withLock { $0.append(contact) }
    return CodeTicket(length: 4, wait: 30, destination: "…67")
  }

  func verify(_ code: String) async throws(ScreenFailure) -> Authorization {
    guard code == "4711" else { throw .refused(Refusal("codeWrong", message: "Wrong.")) }
    return .personalDataNeeded
  }

  func sendAgain() async throws(ScreenFailure) -> CodeTicket { CodeTicket(length: 4, wait: 60) }
}

@Suite("from a phone number to a code", .timeLimit(.minutes(1)))
struct CodeFlowTests {
  private let phone = FieldDeclaration(
    "phone", label: "phone number", rules: [Rule(.notEmpty), Rule(.phone)])

  @Test("D1 · a phone number is typed, a code is sent, and the code is entered")
  func flow() async throws {
    let (gateway, clock) = (Gateway(), ManualClock())
    var ticket: CodeTicket?
    await onStage(CodeRequestScreen(phone).driver(gateway, clock: clock)) { stage in
      await stage.send(.typed("+33 612 345 678"))
      await stage.send(.submit)
      await stage.wait { $0.screen.failure != nil }
      await stage.send(.typed("+49 170 1234567"))
      await stage.send(.submit)
      await stage.wait { $0.screen.isOver }
      ticket = stage.screen?.ticket
    }
    #expect(gateway.destinations == ["+49 170 1234567"])
    let screen = CodeScreen(try #require(ticket))
    await onStage(screen.driver(service: gateway, clock: clock)) { stage in
      await stage.waitFor(.countdown(30))
      await stage.send(.typed("4711"))
      await stage.waitFor(.authorized(.personalDataNeeded))
    }
  }

  @Test("D1 B7 · a code is asked for once, and only for what looks like a phone number")
  func onlyValid() {
    var played = Played(CodeRequestScreen(phone))
    played.send(.submit, .typed("ann"), .submit)
    #expect(played.newWork() == [])
    #expect(played.screen.form[played.screen.field]?.display == .invalidShown)
    played.send(.typed("+49 170 1234567"), .submit, .submit, .typed("+1"))
    #expect(played.newWork() == [.request("+49 170 1234567")])
    #expect(
      played.newOutputs() == [.canSubmit(true), .canSubmit(false), .loading(true)])
    played.answer(.requested(.failure(.network("The connection broke."))))
    #expect(played.screen.canSubmit && !played.screen.isLoading)
  }
}
