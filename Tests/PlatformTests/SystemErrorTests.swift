import Platform
import Testing

@Suite("Errors of the system")
struct SystemErrorTests {
  @Test("an error without a number is not called a success")
  func noNumber() {
    #expect(!"\(SystemError(0))".contains("Success"))
    #expect("\(SystemError(2))" == "No such file or directory")
  }
}
