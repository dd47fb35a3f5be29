import Foundation
import TestSupport
import Testing

/// A film that flashes and beeps, through mpv, the PCM `theater` and the amplifier to a PulseAudio server: its picture
/// and its sound are recorded together.
@Suite(.realTime, .timeLimit(.minutes(5))) struct FilmPauseTests {
  private static let isPossible = ["Xvfb", "ffmpeg", "pulseaudio", "parec", "mpv"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
  }

  @Test(
    "after pauses of 1 and 8 s the sound of a film is in time with its picture",
    .enabled(if: isPossible, "needs xvfb, ffmpeg, mpv, pulseaudio and pulseaudio-utils"))
  func sync() async throws {
    let outcome = try await Program.run(
      URL(fileURLWithPath: "/usr/bin/env"),
      ["python3", "-B", Program.project.appending(path: "Benchmarks/run.py").path, "film-pauses"],
      environment: [
        "PATH": "/usr/local/bin:/usr/bin:/bin", "THEATER_BENCH_PAUSES": "1 8",
        "THEATER_BENCH_BUFFERS": "200",
        "THEATER_PRODUCTS": Program.products.path,
      ], limit: 120)
    #expect(outcome.status == 0, "\(outcome.output) \(outcome.errors)")
  }
}
