import TestSupport
import Testing

@testable import Accounts

@Suite struct AccountEventTests {
  @Test("E3 · cancelling a listener during a notification does not block", .timeLimit(.minutes(5)))
  func endingDuringNotification() async {
    let events = AccountEvents()
    let passes = await PausedNotification.permitsCancellation { onNotification in
      for await _ in events.subscribe() { onNotification() }
    } notify: {
      events.publish(.registered(AccountID("ann"), .member))
    }
    #expect(passes)
  }
}
