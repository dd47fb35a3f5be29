import Scenes

/// What a theater is made of, apart from its devices: everything that `devices.json` scripts.
package struct TheaterPlan: Sendable, Hashable {
  /// By name.
  package var scenes: [String: Scene]
  /// By name.
  package var activities: [String: Activity]
  package var library: Library
  package var cables: [CableEdge]

  package init(
    scenes: [String: Scene] = [:], activities: [String: Activity] = [:],
    library: Library = Library(), cables: [CableEdge] = []
  ) {
    self.scenes = scenes
    self.activities = activities
    self.library = library
    self.cables = cables
  }
}
