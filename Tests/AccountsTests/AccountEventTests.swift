import TestSupport
import Testing

@testable import Accounts

@Suite struct AccountEventTests {
  @Test("E3 · a listener that ends during a notification delays no other", .timeLimit(.minutes(5)))
  func endingWhileTold() async {
    let events = AccountEvents()
    let passes = await HeldTelling.letsListenersEnd { wasTold in
      for await _ in events.subscribe() { wasTold() }
    } tell: {
      events.publish(.registered(AccountID("ann"), .member))
    }
    #expect(passes)
  }
}
