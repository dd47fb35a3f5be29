import Glibc

// Measurements that need a more precise clock than a script has. Each mode prints one line of JSON, times
// in microseconds; Benchmarks/run.py starts what is to be measured and compares.

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments.dropFirst()

switch (arguments.first, Array(arguments.dropFirst())) {
case ("floor-child", _): Floor.serve()
case ("round-trip", let rest) where (1...2).contains(rest.count):
  await RoundTrip.measure(plugins: rest[0], core: rest.count == 2 ? rest[1] : nil)
case ("watch-film", let rest) where rest.count == 4:
  guard let films = FilmBenchmark(rest) else { exit(2) }
  films.measureFirst()
case ("watch-again", let rest) where rest.count == 4:
  guard let films = FilmBenchmark(rest) else { exit(2) }
  films.measureAgain()
case ("light", let rest) where rest.count == 2:
  guard let port = UInt16(rest[0]), let count = Int(rest[1]) else { exit(2) }
  SmallRequests.measureLight(port: port, token: token(), count: count)
case ("scene-runs", let rest) where rest.count == 4:
  guard let port = UInt16(rest[0]), let callers = Int(rest[2]), let seconds = Int(rest[3])
  else { exit(2) }
  SmallRequests.measureRuns(
    port: port, token: token(), path: rest[1], callers: callers, seconds: seconds)
default:
  writeError(
    """
    usage: TheaterBenchmarks round-trip PLUGINS [CORE] | (watch-film | watch-again) PORT COUNT PATH ITEM
      | light PORT COUNT | scene-runs PORT PATH CALLERS SECONDS
    """)
  exit(2)
}

/// The session's token. It is a secret: it comes through the environment, not the command line.
func token() -> String {
  guard let token = getenv("THEATER_TOKEN") else {
    writeError("THEATER_TOKEN is not set")
    exit(2)
  }
  return String(cString: token)
}
