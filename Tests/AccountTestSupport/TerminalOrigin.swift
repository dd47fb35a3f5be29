// A release is built against static libraries, and there is no static library of Testing.
#if canImport(Testing)
  import Accounts
  import Testing

  /// Runs the tests of a suite as requests from the terminal of this machine.
  package struct TerminalOrigin: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true

    package func provideScope(
      for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
      try await Origin.$current.withValue(.terminal(user: nil, device: ""), operation: function)
    }
  }

  extension Trait where Self == TerminalOrigin {
    package static var fromTerminal: Self { Self() }
  }
#endif
