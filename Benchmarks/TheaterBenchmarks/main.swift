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
  // The token is a secret: it comes through the environment, not the command line.
  guard let port = UInt16(rest[0]), let count = Int(rest[1]), let secret = getenv("THEATER_TOKEN")
  else { exit(2) }
  let token = String(cString: secret)
  guard let load = HTTPLoad(port: port, token: token) else { exit(1) }
  var times: [Duration] = []
  for number in 0..<(count + 50) {
    let began = ContinuousClock.now
    guard load.post(rest[2], "{\"item\": \"\(rest[3])\", \"fromStart\": true}") == 200 else {
      complain("watching failed")
      exit(1)
    }
    // The first runs warm caches on both sides and do not count.
    if number >= 50 { times.append(ContinuousClock.now - began) }
    guard load.post("/api/end", "{}") == 200 else {
      complain("ending failed")
      exit(1)
    }
  }
  print(Figures(times).line)
default:
  complain("usage: TheaterBenchmarks round-trip PLUGINS | watch-film PORT COUNT PATH ITEM")
  exit(2)
}
