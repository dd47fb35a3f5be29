import Accounts
import HomeTheater

/// What the routes speak to.
package struct Remote: Sendable {
  package let theater: HomeTheaterFacade
  package let gate: Gate
  package let machinery: any Machinery

  /// - Parameter machinery: What the controller knows of its own works.
  package init(theater: HomeTheaterFacade, gate: Gate, machinery: any Machinery) {
    self.theater = theater
    self.gate = gate
    self.machinery = machinery
  }
}

extension Remote {
  /// The whole API, line by line. What is not here does not exist; who has no session gets past
  /// no line that is not open to everyone.
  package var routes: [Route] {
    accountRoutes + validationRoutes + proofRoutes + theaterRoutes + activityRoutes
      + transportRoutes + deviceRoutes + sceneRoutes + machineryRoutes
  }
}
