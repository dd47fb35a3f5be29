import Accounts
import HomeTheater

/// What the routes speak to.
package struct Remote: Sendable {
  package let theater: HomeTheaterFacade
  package let gate: Gate
  package let machinery: any Machinery
  /// Where a browser finds the controller: `http://livingroom.local:8080`; `nil` where that is not
  /// known.
  package let webAddress: String?
  /// What browsers are shown there; `nil` without TLS.
  package let certificate: ShownCertificate?
  /// The places for listeners of events.
  package let streams = StreamPlaces()

  /// - Parameter machinery: What the controller knows of its own works.
  package init(
    theater: HomeTheaterFacade, gate: Gate, machinery: any Machinery, webAddress: String? = nil,
    certificate: ShownCertificate? = nil
  ) {
    self.theater = theater
    self.gate = gate
    self.machinery = machinery
    self.webAddress = webAddress
    self.certificate = certificate
  }
}

extension Remote {
  /// The whole API, line by line. What is not here does not exist; who has no session gets past
  /// no line that is not open to everyone.
  package var routes: [Route] {
    accountRoutes + validationRoutes + proofRoutes + sessionRoutes + peopleRoutes
      + invitationRoutes + auditRoutes + theaterRoutes + activityRoutes + transportRoutes
      + deviceRoutes + sceneRoutes + machineryRoutes
  }
}
