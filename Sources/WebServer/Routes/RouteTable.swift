import Accounts
import HomeTheater

/// What the routes speak to.
package struct APIServices: Sendable {
  package let theater: HomeTheaterFacade
  package let accountService: AccountService
  package let machinery: any Diagnostics
  /// Where a browser finds the controller: `http://livingroom.local:8080`; `nil` where that is not
  /// known.
  package let webAddress: String?
  /// What browsers are shown there; `nil` without TLS.
  package let certificate: ShownCertificate?
  /// The places for listeners of events.
  package let streams = EventStreamLimiter()

  /// - Parameter machinery: What the controller knows of its own works.
  package init(
    theater: HomeTheaterFacade, accountService: AccountService, machinery: any Diagnostics,
    webAddress: String? = nil,
    certificate: ShownCertificate? = nil
  ) {
    self.theater = theater
    self.accountService = accountService
    self.machinery = machinery
    self.webAddress = webAddress
    self.certificate = certificate
  }
}

extension APIServices {
  /// The whole API, line by line. What is not here does not exist; who has no session gets past
  /// no line that is not open to everyone.
  package var routes: [Route] {
    accountRoutes + validationRoutes + proofRoutes + sessionRoutes + peopleRoutes
      + invitationRoutes + auditRoutes + theaterRoutes + activityRoutes + transportRoutes
      + deviceRoutes + sceneRoutes + machineryRoutes
  }
}
