import Devices
import JSON
import PJLink
import PluginProtocol
import Testing

@testable import PJLinkProjector

/// A model with a scripted projector. A table answers the requests, and the test advances the time.
private struct ModelBench {
  var model: ProjectorModel
  var now = Duration.zero
  /// The parameter of the answer to each request. Other requests get the answer of `defaultAnswer`, or no reply.
  var answers: [String: String] = ["%1CLSS ?": "2"]
  /// The requests since the last call of ``removeRequests()``.
  private var requests: [String] = []
  var state: [StateKey: JSON] = [:]
  var provenance: [StateKey: Provenance] = [:]
  var attributes: [String: JSON] = [:]
  var log: [String] = []
  private var results: [Result<Void, DeviceError>] = []

  init(_ options: JSON = [:], _ answers: [String: String] = [:]) throws {
    var all: JSONObject = ["host": "projector"]
    for (name, value) in options.object ?? [:] { all[name] = value }
    model = ProjectorModel(
      options: try ProjectorOptions(.object(all)), hostAndPort: "projector:4352")
    self.answers.merge(answers) { $1 }
  }

  mutating func removeRequests() -> [String] {
    defer { requests = [] }
    return requests
  }

  /// Executes one request. Returns false if none is due.
  ///
  /// - Parameter failure: The failure of the request. If it is nil, the request gets its answer, or
  ///   no reply if it has none.
  mutating func step(_ failure: LinkFailure? = nil) -> Bool {
    guard case .ask(let request) = model.next(at: now) else { return false }
    requests.append(request.text)
    if failure == nil, let text = answers[request.text] ?? Self.defaultAnswer(to: request) {
      apply(
        model.handleAnswer(
          PJLinkAnswer(text), to: request, method: Authentication.Method.none, at: now))
    } else {
      apply(
        model.handleFailure(failure ?? .noReply(request.text), of: request, at: now, random: 0.5))
    }
    return true
  }

  /// Returns the default answer of a projector, for requests to which the test gives no answer.
  private static func defaultAnswer(to request: PJLinkRequest) -> String? {
    switch request {
    case .query(.power): nil
    case .query(.input): "31"
    case .query(.mute): "30"
    case .query(.errors): "000000"
    case .query(.lamps): "412 1"
    case .query(.inputs): "11 31 32"
    case .query(.name): "Name"
    case .query(.manufacturer): "Maker"
    case .query(.product): "Model"
    case .query(.pjlinkClass): "2"
    case .query(.filter): "120"
    case .turnOn, .turnOff, .select: "OK"
    }
  }

  /// Executes all requests that are due.
  mutating func settle() { for _ in 0..<100 where step() {} }

  mutating func advance(_ seconds: Double) {
    now += .seconds(seconds)
    settle()
  }

  /// Executes a job to its end. Returns its error; nil if it succeeded.
  ///
  /// - Parameters:
  ///   - failure: The failure of the job's requests; nil for answers.
  ///   - answered: The number of requests that are answered before the failure.
  mutating func run(
    _ job: ProjectorModel.Job, failing failure: LinkFailure? = nil, after answered: Int = 0
  ) throws -> DeviceError? {
    let before = results.count
    apply(model.begin(job))
    for index in 0..<20 where results.count == before {
      guard step(index < answered ? nil : failure) else { break }
    }
    guard results.count == before + 1, let result = results.last else { throw Unfinished() }
    if case .failure(let error) = result { return error }
    return nil
  }

  private mutating func apply(_ effects: [ProjectorModel.Effect]) {
    for effect in effects {
      switch effect {
      case .report(let values, let provenance):
        state.merge(values) { $1 }
        for key in values.keys { self.provenance[key] = provenance }
      case .reportAttributes(let attributes):
        self.attributes.merge(attributes.mapValues(\.value)) { $1 }
      case .finish(let result): results.append(result)
      case .log(_, let text): log.append(text)
      }
    }
  }

  private struct Unfinished: Error {}
}

@Suite("The requests to a projector and its reported state")
struct ModelTests {
  private static let pictures: JSON = [
    "inputs": [["name": "Player", "input": "31"], ["name": "Antenna", "input": "32"]],
    "wideScreenInput": "Player", "tvInput": "32",
  ]

  @Test("E15 · opening reports the power, and the picture by the input")
  func opens() throws {
    var bench = try ModelBench(Self.pictures, ["%1POWR ?": "1", "%1INPT ?": "32"])
    #expect(try bench.run(.open) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?", "%1INPT ?"])
    #expect(bench.state == [.power: "on", .picture: "tv"])
    #expect(bench.provenance == [.power: .reported, .picture: .reported])
  }

  @Test("E15 · after opening, the attributes are asked for once, and then every ten minutes")
  func details() throws {
    var bench = try ModelBench(
      Self.pictures,
      ["%1POWR ?": "1", "%1LAMP ?": "412 1 8 0", "%1AVMT ?": "11", "%1ERST ?": "010000"])
    _ = try bench.run(.open)
    bench.settle()
    let wanted: [String: JSON] = [
      "lampHours": 412, "lamp2Hours": 8, "filterHours": 120, "errors": "lamp warning",
      "name": "Name", "manufacturer": "Maker", "model": "Model", "input": "Player",
      "inputs": "11, Player, Antenna", "mute": "video", "pjlinkClass": "2",
      "authentication": "none",
    ]
    #expect(bench.attributes == wanted)
    _ = bench.removeRequests()
    bench.advance(10)
    #expect(bench.removeRequests() == ["%1POWR ?", "%1INPT ?", "%1AVMT ?", "%1ERST ?"])
    bench.advance(600)
    #expect(bench.removeRequests().contains("%1LAMP ?"))
  }

  @Test("A projector of class 1 gets no requests of class 2")
  func classOne() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "0", "%1CLSS ?": "1"])
    _ = try bench.run(.open)
    bench.settle()
    let requests = bench.removeRequests()
    #expect(!requests.contains { $0.hasPrefix("%2") })
  }

  @Test(
    "A query that the projector does not know is not repeated, and a bad answer sets no attribute")
  func unknownQuestions() throws {
    var bench = try ModelBench(
      [:], ["%1POWR ?": "0", "%1LAMP ?": "ERR1", "%1ERST ?": "nonsense"])
    _ = try bench.run(.open)
    bench.settle()
    #expect(bench.removeRequests().count { $0 == "%1LAMP ?" } == 1)
    #expect(bench.attributes["lampHours"] == nil && bench.attributes["errors"] == nil)
    bench.advance(600)
    #expect(!bench.removeRequests().contains("%1LAMP ?"))
  }

  @Test("A question that gets no reply counts as unknown when the projector answers the next one")
  func silentQuestion() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "0"])
    _ = try bench.run(.open)
    while !bench.removeRequests().contains("%1CLSS ?") { _ = bench.step() }
    // The next query is NAME.
    _ = bench.step(.noReply("%1NAME ?"))
    bench.settle()
    #expect(bench.provenance[.power] == .reported)
    #expect(bench.attributes["problem"] == nil)
    // The queries after it are sent at once, not only in the next round with details.
    #expect(bench.attributes["model"] == "Model" && bench.attributes["lampHours"] == 412)
    _ = bench.removeRequests()
    bench.advance(600)
    #expect(!bench.removeRequests().contains("%1NAME ?"))
  }

  @Test(
    "E15 · a command is sent while the projector does not report its power in a form with a meaning",
    arguments: ["ERR3", "ERR1", "ERR4", "9", "-1", ""], [ProjectorCommand.on, .off])
  func powerWithoutMeaning(answer: String, command: ProjectorCommand) throws {
    var bench = try ModelBench([:], ["%1POWR ?": "1"])
    _ = try bench.run(.open)
    bench.settle()
    bench.answers["%1POWR ?"] = answer
    bench.advance(10)
    #expect(bench.provenance[.power] == .unknown)
    _ = bench.removeRequests()
    #expect(try bench.run(.perform(command)) == nil)
    let request = command == .on ? "%1POWR 1" : "%1POWR 0"
    #expect(bench.removeRequests() == ["%1POWR ?", request, "%1POWR ?"])
  }

  @Test("a projector that answers \"not now\" in standby is taken for off, and is turned on")
  func hiddenStandby() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "ERR3"])
    #expect(try bench.run(.open) == nil)
    #expect(bench.state[.power] == "off" && bench.provenance[.power] == .assumed)
    bench.settle()
    _ = bench.removeRequests()
    #expect(try bench.run(.perform(.on)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?", "%1POWR 1", "%1POWR ?"])
    #expect(bench.state[.power] == "warming" && bench.provenance[.power] == .assumed)
    bench.advance(20)
    #expect(!bench.removeRequests().contains("%1POWR 1"), "it is sent once")
    bench.answers["%1POWR ?"] = "1"
    bench.advance(1)
    #expect(bench.state[.power] == "on" && bench.provenance[.power] == .reported)
  }

  @Test("a projector that answers \"not now\" after off cools for its usual time, and is off then")
  func hiddenOff() throws {
    var bench = try ModelBench(["coolDown": 60], ["%1POWR ?": "1"])
    _ = try bench.run(.open)
    bench.answers["%1POWR 0"] = "OK"
    #expect(try bench.run(.perform(.off)) == nil)
    bench.answers["%1POWR ?"] = "ERR3"
    bench.answers["%1POWR 0"] = "ERR3"
    bench.advance(1)
    #expect(bench.state[.power] == "cooling" && bench.provenance[.power] == .assumed)
    for _ in 0..<60 { bench.advance(1) }
    #expect(bench.state[.power] == "off" && bench.provenance[.power] == .assumed)
    for _ in 0..<400 { bench.advance(1) }
    #expect(try bench.run(.perform(.off)) == nil)
    _ = bench.removeRequests()
    #expect(try bench.run(.perform(.on)) == nil)
    #expect(bench.removeRequests().contains("%1POWR 1"))
  }

  @Test(
    "a projector that accepts a command without a reaction gets it once more, then reports its state",
    arguments: [(ProjectorCommand.on, "0", "%1POWR 1"), (.off, "1", "%1POWR 0")])
  func withoutReaction(command: ProjectorCommand, power: String, request: String) throws {
    var bench = try ModelBench([:], ["%1POWR ?": power])
    _ = try bench.run(.open)
    #expect(try bench.run(.perform(command)) == nil)
    _ = bench.removeRequests()
    for _ in 0..<14 { bench.advance(1) }
    #expect(!bench.removeRequests().contains(request))
    bench.state = [:]
    for _ in 0..<10 { bench.advance(1) }
    #expect(bench.removeRequests().count { $0 == request } == 1)
    #expect(bench.state[.power] == nil)
    for _ in 0..<20 { bench.advance(1) }
    #expect(bench.state[.power] == (command == .on ? "off" : "on"))
    #expect(bench.provenance[.power] == .reported)
    for _ in 0..<300 { bench.advance(1) }
    #expect(!bench.removeRequests().contains(request))
  }

  @Test(
    "a projector that a person turns off again gets no second command",
    arguments: [["3", "0"], ["3", "2", "0"], ["ERR3", "0"]])
  func turnedOffAgain(powers: [String]) throws {
    var bench = try ModelBench([:], ["%1POWR ?": "0"])
    _ = try bench.run(.open)
    #expect(try bench.run(.perform(.on)) == nil)
    _ = bench.removeRequests()
    for power in powers {
      bench.answers["%1POWR ?"] = power
      for _ in 0..<5 { bench.advance(1) }
    }
    for _ in 0..<100 { bench.advance(1) }
    #expect(!bench.removeRequests().contains("%1POWR 1"))
    #expect(bench.state[.power] == "off" && bench.provenance[.power] == .reported)
  }

  @Test("a projector that was just turned on is tried every five seconds while it is silent")
  func silentAfterOn() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "0"])
    _ = try bench.run(.open)
    bench.settle()
    #expect(try bench.run(.perform(.on)) == nil)
    bench.answers["%1POWR ?"] = nil
    for _ in 0..<60 { bench.advance(1) }
    #expect(bench.provenance[.power] == .unknown)
    bench.answers["%1POWR ?"] = "3"
    for _ in 0..<5 { bench.advance(1) }
    #expect(bench.state[.power] == "warming" && bench.provenance[.power] == .reported)
  }

  @Test("a value out of its range becomes unknown, and nothing else is lost because of it")
  func unknownValues() throws {
    var bench = try ModelBench(
      Self.pictures,
      ["%1POWR ?": "1", "%1LAMP ?": "412 1 8 0", "%1ERST ?": "020000", "%1AVMT ?": "31"])
    _ = try bench.run(.open)
    bench.settle()
    #expect(bench.attributes["lampHours"] == 412 && bench.state[.picture] == "wideScreen")
    bench.answers.merge([
      "%1LAMP ?": "-1 1 9 0", "%1ERST ?": "0900x0", "%1AVMT ?": "99", "%2FILT ?": "123456",
      "%1INPT ?": "99", "%1INST ?": "31 99",
    ]) { $1 }
    bench.advance(600)
    #expect(bench.attributes["lampHours"]?.isNull == true && bench.attributes["lamp2Hours"] == 9)
    #expect(bench.attributes["errors"] == "none" && bench.attributes["mute"]?.isNull == true)
    #expect(bench.attributes["filterHours"]?.isNull == true)
    #expect(bench.attributes["input"]?.isNull == true && bench.provenance[.picture] == .unknown)
    #expect(bench.attributes["inputs"] == "Player")
    #expect(bench.state[.power] == "on")
  }

  @Test(
    "E15 · on is sent once, the power is queried every second, and the warm-up time is reported")
  func turnsOn() throws {
    var bench = try ModelBench(["warmUp": 20], ["%1POWR ?": "0"])
    _ = try bench.run(.open)
    bench.settle()
    _ = bench.removeRequests()
    #expect(try bench.run(.perform(.on)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?", "%1POWR 1", "%1POWR ?"])
    bench.answers["%1POWR ?"] = "3"
    bench.advance(1)
    #expect(bench.removeRequests() == ["%1POWR ?"])
    #expect(bench.state[.power] == "warming")
    #expect(bench.attributes["takes"] == 20 && bench.attributes["remaining"] == 20)
    for _ in 0..<30 { bench.advance(1) }
    #expect(bench.removeRequests() == Array(repeating: "%1POWR ?", count: 30))
    bench.answers["%1POWR ?"] = "1"
    bench.advance(1)
    #expect(bench.state[.power] == "on")
    #expect(bench.attributes["takes"]?.isNull == true)
    _ = bench.removeRequests()
    bench.advance(9)
    #expect(bench.removeRequests() == [])
  }

  @Test("A projector that no longer answers while its lamp warms reports no warm-up time")
  func lostWhileWarming() throws {
    var bench = try ModelBench(["warmUp": 20], ["%1POWR ?": "0"])
    _ = try bench.run(.open)
    bench.settle()
    #expect(try bench.run(.perform(.on)) == nil)
    bench.answers["%1POWR ?"] = "3"
    bench.advance(1)
    #expect(bench.attributes["takes"] == 20)
    bench.answers["%1POWR ?"] = nil
    bench.advance(10)
    #expect(
      bench.attributes["takes"]?.isNull == true && bench.attributes["remaining"]?.isNull == true)
  }

  @Test("The second time a lamp warms, the measured time is reported")
  func measures() throws {
    var bench = try ModelBench(["warmUp": 20], ["%1POWR ?": "0"])
    _ = try bench.run(.open)
    bench.settle()
    for power in ["3", "1", "0", "3"] {
      bench.answers["%1POWR ?"] = power
      bench.advance(40)
    }
    #expect(bench.attributes["takes"] == 40)
  }

  @Test("A lamp that already warms at the first contact has no known progress")
  func unknownProgress() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "3"])
    _ = try bench.run(.open)
    #expect(bench.state[.power] == "warming")
    #expect(bench.attributes["takes"] == nil)
  }

  @Test(
    "E15 · a command whose effect is reported already succeeds, is reported again and not sent",
    arguments: [(ProjectorCommand.on, "1"), (.on, "3"), (.off, "0"), (.off, "2")])
  func alreadyThere(command: ProjectorCommand, power: String) throws {
    var bench = try ModelBench([:], ["%1POWR ?": power])
    _ = try bench.run(.open)
    _ = bench.removeRequests()
    bench.state = [:]
    #expect(try bench.run(.perform(command)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?"])
    #expect(bench.state[.power] != nil)
  }

  @Test(
    "E15 · a power command is sent while the opposite one, accepted before, may still take effect",
    arguments: [
      (ProjectorCommand.on, ProjectorCommand.off, "0", "%1POWR 0"), (.off, .on, "1", "%1POWR 1"),
    ])
  func oppositePower(
    first: ProjectorCommand, second: ProjectorCommand, power: String, request: String
  ) throws {
    var bench = try ModelBench([:], ["%1POWR ?": power])
    _ = try bench.run(.open)
    #expect(try bench.run(.perform(first)) == nil)
    _ = bench.removeRequests()
    // The projector still reports the power from before the first command.
    #expect(try bench.run(.perform(second)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?", request, "%1POWR ?"])
    #expect(try bench.run(.perform(second)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?"])
    #expect(try bench.run(.perform(first)) == nil)
    bench.now += ProjectorModel.reactionTime
    _ = bench.removeRequests()
    #expect(try bench.run(.perform(second)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?"])
  }

  @Test("E15 · a picture is selected while the other one, accepted before, may still take effect")
  func oppositePicture() throws {
    var bench = try ModelBench(Self.pictures, ["%1POWR ?": "1", "%1INPT ?": "31"])
    _ = try bench.run(.open)
    #expect(try bench.run(.perform(.tvMode)) == nil)
    _ = bench.removeRequests()
    // The projector still reports the input from before the first command.
    #expect(try bench.run(.perform(.wideScreenMode)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?", "%1INPT ?", "%1INPT 31", "%1INPT ?"])
    #expect(try bench.run(.perform(.on)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?"])
  }

  @Test(
    "E15 · on waits while the lamp cools, and off while it warms: nothing is sent",
    arguments: [
      (ProjectorCommand.on, "2", "cooling"), (.off, "3", "warming"),
      (.wideScreenMode, "3", "warming"),
    ])
  func waits(command: ProjectorCommand, power: String, word: String) throws {
    var bench = try ModelBench(Self.pictures, ["%1POWR ?": power])
    _ = try bench.run(.open)
    _ = bench.removeRequests()
    let error = try #require(try bench.run(.perform(command)))
    #expect(error.code == .notNow)
    #expect(error.message == "the lamp is \(word)")
    #expect(try #require(error.retryAfter) >= .seconds(1))
    #expect(bench.removeRequests() == ["%1POWR ?"])
  }

  @Test("\"Not now\" in a steady state is tried again after growing waits, and ends with an error")
  func refusals() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "0", "%1POWR 1": "ERR3"])
    _ = try bench.run(.open)
    var waits: [Duration?] = []
    for _ in 0..<ProjectorModel.mostRefusals {
      let error = try #require(try bench.run(.perform(.on)))
      #expect(error.code == .notNow)
      waits.append(error.retryAfter)
    }
    #expect(waits == [1, 2, 4, 8, 8, 8, 8, 8].map { .seconds($0) })
    let last = try #require(try bench.run(.perform(.on)))
    #expect(last.code == .refused && last.retryAfter == nil)
    #expect(last.message.contains("\"on\" 9 times") && last.hint != nil)
    bench.answers["%1POWR 1"] = "OK"
    #expect(try bench.run(.perform(.on)) == nil)
  }

  @Test("\"Not now\" to a command of long ago does not count for a new command of the same name")
  func earlierRefusals() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "0", "%1POWR 1": "ERR3"])
    _ = try bench.run(.open)
    for _ in 0..<6 { #expect(try bench.run(.perform(.on))?.code == .notNow) }
    bench.now += .seconds(86_400)
    let first = try #require(try bench.run(.perform(.on)))
    #expect(first.code == .notNow && first.retryAfter == .seconds(1))
    for _ in 1..<ProjectorModel.mostRefusals {
      #expect(try bench.run(.perform(.on))?.code == .notNow)
    }
    #expect(try bench.run(.perform(.on))?.code == .refused)
  }

  @Test(
    "Other errors end a command",
    arguments: [("ERR4", DeviceError.Code.failed), ("ERR1", .unsupported), ("ERR2", .unsupported)])
  func errors(answer: String, code: DeviceError.Code) throws {
    var bench = try ModelBench([:], ["%1POWR ?": "0", "%1POWR 1": answer])
    _ = try bench.run(.open)
    #expect(try bench.run(.perform(.on))?.code == code)
  }

  @Test("E15 · a picture selects its input, unless that is selected already")
  func pictures() throws {
    var bench = try ModelBench(Self.pictures, ["%1POWR ?": "1", "%1INPT ?": "31"])
    _ = try bench.run(.open)
    _ = bench.removeRequests()
    #expect(try bench.run(.perform(.wideScreenMode)) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?", "%1INPT ?"])
    bench.answers["%1INPT 32"] = "ERR2"
    let error = try #require(try bench.run(.perform(.tvMode)))
    #expect(error.code == .unsupported && error.hint?.contains("tvInput") == true)
    bench.answers["%1INPT 32"] = "OK"
    bench.answers["%1INPT ?"] = "32"
    _ = bench.removeRequests()
    #expect(try bench.run(.perform(.tvMode)) == nil)
    #expect(bench.state[.picture] == "tv")
  }

  @Test(
    "E15 · an accepted picture command succeeds without a reply to the next query, which is repeated"
  )
  func silentAfterPicture() throws {
    var bench = try ModelBench(Self.pictures, ["%1POWR ?": "1", "%1INPT ?": "31"])
    _ = try bench.run(.open)
    bench.settle()
    _ = bench.removeRequests()
    let silence = LinkFailure.noReply("%1INPT ?")
    #expect(try bench.run(.perform(.tvMode), failing: silence, after: 3) == nil)
    #expect(bench.removeRequests() == ["%1POWR ?", "%1INPT ?", "%1INPT 32", "%1INPT ?"])
    bench.answers["%1INPT ?"] = "32"
    bench.settle()
    #expect(bench.removeRequests() == ["%1POWR ?", "%1INPT ?"])
    #expect(bench.state[.picture] == "tv" && bench.provenance[.picture] == .reported)
  }

  @Test(
    "E15 · a picture without an input is refused with the option's name, before any request")
  func unsupportedPicture() throws {
    var bench = try ModelBench(["wideScreenInput": "31"], ["%1POWR ?": "1"])
    _ = try bench.run(.open)
    _ = bench.removeRequests()
    let error = try #require(try bench.run(.perform(.tvMode)))
    #expect(error.code == .unsupported)
    #expect(error.hint == "Name one in the option \"tvInput\".")
    #expect(bench.removeRequests() == [])
  }

  @Test("The picture is unknown while the projector is off or shows another input")
  func unknownPicture() throws {
    var bench = try ModelBench(Self.pictures, ["%1POWR ?": "1", "%1INPT ?": "31"])
    _ = try bench.run(.open)
    bench.settle()
    bench.answers["%1INPT ?"] = "11"
    bench.advance(10)
    #expect(bench.provenance[.picture] == .unknown)
    bench.answers["%1INPT ?"] = "31"
    bench.advance(10)
    #expect(bench.provenance[.picture] == .reported)
    bench.answers["%1POWR ?"] = "0"
    bench.advance(10)
    #expect(bench.provenance[.picture] == .unknown)
    #expect(bench.provenance[.power] == .reported)
    let error = try #require(try bench.run(.perform(.tvMode)))
    #expect(error.code == .notNow && error.retryAfter == nil)
  }

  @Test(
    "The state of a silent projector is unknown, with a problem and fewer queries, until it answers"
  )
  func silence() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "1"])
    _ = try bench.run(.open)
    bench.settle()
    bench.answers["%1POWR ?"] = nil
    bench.advance(10)
    #expect(bench.provenance[.power] == .unknown && bench.state[.power] == "on")
    #expect(bench.attributes["problem"]?.string?.contains("did not answer %1POWR ?") == true)
    var waits: [Int] = []
    for _ in 0..<8 {
      _ = bench.removeRequests()
      let start = bench.now
      while bench.removeRequests().isEmpty { bench.advance(1) }
      waits.append(Int((bench.now - start) / .seconds(1)))
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60])
    #expect(bench.log.count == 1)
    let error = try #require(try bench.run(.perform(.off)))
    #expect(error.code == .unavailable && error.hint != nil)
    bench.answers["%1POWR ?"] = "1"
    bench.advance(60)
    #expect(bench.provenance[.power] == .reported)
    #expect(bench.attributes["problem"]?.isNull == true)
    #expect(bench.log.last == "the projector answers again")
  }

  @Test("A refused password is not tried again, and the error names the option to correct")
  func wrongPassword() throws {
    var closed = try ModelBench()
    let refusal = try #require(try closed.run(.open, failing: .wrongPassword))
    // After `invalid`, the controller does not open the device again before its options change.
    #expect(refusal.code == .invalid && refusal.hint?.contains("\"password\"") == true)

    var bench = try ModelBench([:], ["%1POWR ?": "1"])
    _ = try bench.run(.open)
    bench.settle()
    bench.now += .seconds(10)
    _ = bench.step(.wrongPassword)
    #expect(bench.model.next(at: bench.now + .seconds(100_000)) == .wait(until: nil))
    #expect(bench.provenance[.power] == .unknown)
    _ = bench.removeRequests()
    let error = try #require(try bench.run(.perform(.on)))
    #expect(error.code == .refused)
    #expect(bench.removeRequests() == [])
  }

  @Test("A failed opening reports no state, and its error names the host")
  func unreachable() throws {
    var bench = try ModelBench()
    let error = try #require(try bench.run(.open, failing: .noConnection("Connection refused")))
    #expect(error.code == .unavailable)
    #expect(error.message == "there is no connection to projector:4352: Connection refused")
    #expect(bench.state == [:] && bench.attributes == [:] && bench.log == [])
  }

  @Test("An error that the projector reports becomes its problem, until the error is gone")
  func problem() throws {
    var bench = try ModelBench([:], ["%1POWR ?": "0", "%1ERST ?": "020100"])
    _ = try bench.run(.open)
    bench.settle()
    #expect(bench.attributes["problem"] == "the projector reports: lamp error")
    #expect(bench.attributes["errors"] == "lamp error, cover warning")
    bench.answers["%1ERST ?"] = "000000"
    bench.advance(10)
    #expect(bench.attributes["problem"]?.isNull == true)
  }

  @Test("A projector that does not report its power opens, with an unknown state")
  func unknownPower() throws {
    for answer in ["ERR1", "9"] {
      var bench = try ModelBench([:], ["%1POWR ?": answer])
      #expect(try bench.run(.open) == nil)
      #expect(bench.state == [:])
    }
  }

  @Test(
    "Wrong options are named",
    arguments: [
      ([:], "host"), (["host": "x", "port": 0], "port"), (["host": "x", "polling": 1], "polling"),
      (["host": "x", "authentication": "none"], "authentication"),
      (["host": "x", "tvInput": "Antenna"], "tvInput"),
      (["host": "x", "inputs": [["name": "A"]]], "inputs[0]"),
      (["host": "x", "tvInput": "31", "wideScreenInput": "31"], "same input"),
    ] as [(JSON, String)])
  func options(options: JSON, word: String) throws {
    let error = #expect(throws: DeviceError.self) { try ProjectorOptions(options) }
    #expect(error?.code == .invalid && error?.message.contains(word) == true)
  }
}
