import Glibc

// What needs a clock nearer to the metal than a script has. Each mode prints one line of JSON, times
// in microseconds; Benchmarks/run.py starts what is to be measured and compares.

signal(SIGPIPE, SIG_IGN)
let arguments = CommandLine.arguments.dropFirst()

switch (arguments.first, Array(arguments.dropFirst())) {
case ("floor-child", _): Floor.serve()
case ("round-trip", let rest) where rest.count == 1:
  await RoundTrip.measure(plugins: rest[0])
case ("watch-film", let rest) where rest.count == 4:
  guard let watching = Watching(rest) else { exit(2) }
  watching.measureFirst()
case ("watch-again", let rest) where rest.count == 4:
  guard let watching = Watching(rest) else { exit(2) }
  watching.measureAgain()
default:
  complain(
    "usage: TheaterBenchmarks round-trip PLUGINS | (watch-film | watch-again) PORT COUNT PATH ITEM")
  exit(2)
}
