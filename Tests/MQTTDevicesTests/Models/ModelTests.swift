import Devices
import JSON
import Testing

@testable import MQTTDevices

@Suite("The state machine of an MQTT device")
struct ModelTests {
  private static let lost = BrokerFailure("no broker", hint: "Start it")

  private static func model(
    _ appliance: any ApplianceModel, _ kind: ApplianceKind = .plug, interval: Duration? = nil,
    timeout: Duration = .seconds(5)
  ) -> DeviceModel {
    DeviceModel(
      profile: TasmotaProfile(
        topic: "d", fullTopic: "%prefix%/%topic%/", channel: 1, kind: kind, interval: interval),
      appliance: appliance, hostAndPort: "h:1883", timeout: timeout)
  }

  /// Returns the model of an open device that has reported a state.
  private static func open(
    _ appliance: any ApplianceModel, _ state: String, _ kind: ApplianceKind = .plug,
    interval: Duration? = nil, timeout: Duration = .seconds(5)
  ) -> DeviceModel {
    var model = model(appliance, kind, interval: interval, timeout: timeout)
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    let effects = model.receive(MQTTMessage("stat/d/RESULT", state), at: .zero)
    #expect(effects.finished == "done")
    return model
  }

  /// Returns the model of a device with the profile `template`. It is connected and being opened.
  private static func template(
    _ options: JSON, for commands: any GoalCommand.Type
  ) throws -> DeviceModel {
    var all: JSONObject = ["broker": ["host": "h"], "profile": "template"]
    for (name, value) in options.object ?? [:] { all[name] = value }
    let read = try MQTTDeviceOptions(.object(all), for: commands, replies: "r")
    var model = DeviceModel(
      profile: read.profile, appliance: read.appliance, hostAndPort: "h:1883", timeout: read.timeout
    )
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    return model
  }

  @Test("queries a device after two intervals of silence, and makes its state unknown after three")
  func silence() {
    var model = Self.open(PowerModel(), #"{"POWER":"ON"}"#, interval: .seconds(300))
    #expect(model.deadline == .seconds(600))
    #expect(model.tick(at: .seconds(600)).published == ["cmnd/d/STATE "])
    #expect(model.deadline == .seconds(900))
    let effects = model.tick(at: .seconds(900))
    #expect(effects.reports == ["unknown power=\"on\""])
    #expect(effects.problem?.contains("stat/d/RESULT") == true)
    let back = model.receive(MQTTMessage("tele/d/STATE", #"{"POWER":"ON"}"#), at: .seconds(950))
    #expect(back.reports == ["reported power=\"on\""])
    #expect(back.problem == "null")
  }

  @Test("keeps the state when the device answers the query after a silence")
  func answeredSilence() {
    var model = Self.open(PowerModel(), #"{"POWER":"ON"}"#, interval: .seconds(300))
    _ = model.tick(at: .seconds(600))
    _ = model.receive(MQTTMessage("stat/d/RESULT", #"{"POWER":"ON"}"#), at: .seconds(601))
    #expect(model.deadline == .seconds(1201))
  }

  @Test("queries the state, repeats the command and then fails when the device does not confirm it")
  func repeats() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    #expect(model.begin(.reach(.power(true)), at: .zero).published == ["cmnd/d/POWER1 ON"])
    #expect(model.tick(at: .milliseconds(700)).published == ["cmnd/d/STATE "])
    #expect(
      model.tick(at: .milliseconds(2700)).published == ["cmnd/d/POWER1 ON", "cmnd/d/STATE "])
    #expect(model.tick(at: .seconds(5)).finished?.contains("within 5 s") == true)
    #expect(model.tick(at: .seconds(10)).published == [])
  }

  @Test("names a timeout with its fraction of a second")
  func fractionOfSecond() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#, timeout: .seconds(1.5))
    _ = model.begin(.reach(.power(true)), at: .zero)
    #expect(model.tick(at: .seconds(1.5)).finished?.contains("within 1.5 s") == true)
  }

  @Test(
    "a command after an unconfirmed one succeeds only when a later state shows its effect",
    arguments: [true, false])
  func lateEffect(isCancelled: Bool) {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    _ = model.begin(.reach(.power(true)), at: .zero)
    if isCancelled { model.abandon() } else { _ = model.tick(at: .seconds(5)) }
    let effects = model.begin(.reach(.power(false)), at: .seconds(6))
    #expect(effects.published == ["cmnd/d/POWER1 OFF"] && effects.finished == nil)
    #expect(model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .seconds(6)).finished == nil)
    #expect(model.receive(MQTTMessage("stat/d/POWER", "OFF"), at: .seconds(6)).finished == "done")
    #expect(model.begin(.reach(.power(false)), at: .seconds(7)).finished == "done")
  }

  @Test(
    "sends a command whose effect the state already shows, reports the state and succeeds at once")
  func alreadyThere() {
    var model = Self.open(PowerModel(), #"{"POWER":"ON"}"#)
    let effects = model.begin(.reach(.power(true)), at: .zero)
    #expect(effects.published == ["cmnd/d/POWER1 ON"])
    #expect(effects.reports == ["reported power=\"on\""])
    #expect(effects.finished == "done")
  }

  @Test("sends no command before the device has reported its state on a new connection")
  func waitsForDevice() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    _ = model.disconnected(Self.lost, at: .zero)
    #expect(model.begin(.reach(.power(true)), at: .zero).published == [])
    #expect(model.connected(at: .seconds(1)).published == ["cmnd/d/STATE "])
    let state = MQTTMessage("stat/d/RESULT", #"{"POWER":"OFF"}"#)
    #expect(model.receive(state, at: .seconds(2)).published == ["cmnd/d/POWER1 ON"])
    let done = MQTTMessage("stat/d/POWER", "ON")
    #expect(model.receive(done, at: .seconds(3)).finished == "done")
  }

  @Test("fails a command without a connection after its timeout, with the reason")
  func noConnection() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    _ = model.disconnected(Self.lost, at: .zero)
    _ = model.begin(.reach(.power(true)), at: .zero)
    #expect(model.tick(at: .seconds(5)).finished == "no broker")
  }

  @Test("reports a problem three seconds after a new connection on which the device is silent")
  func silentAfterReconnect() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    #expect(model.disconnected(Self.lost, at: .zero).problem == "\"no broker. Start it\"")
    _ = model.connected(at: .seconds(1))
    #expect(model.tick(at: .seconds(4)).problem?.contains("stat/d/RESULT") == true)
  }

  @Test("waits three seconds for the first state, also after a message without a state")
  func messageWithoutState() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    _ = model.disconnected(Self.lost, at: .zero)
    _ = model.connected(at: .seconds(1))
    let online = MQTTMessage("tele/d/LWT", "Online")
    #expect(model.receive(online, at: .seconds(1)).problem == "null")
    #expect(model.tick(at: .seconds(4)).problem?.contains("stat/d/RESULT") == true)
  }

  @Test("waits three seconds for the first state of a device that is online again")
  func silentAfterOffline() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    let (offline, online) = (
      MQTTMessage("tele/d/LWT", "Offline"), MQTTMessage("tele/d/LWT", "Online")
    )
    #expect(
      model.receive(offline, at: .seconds(10)).problem
        == #""the topic \"tele/d/LWT\" says that the device is offline""#)
    let back = model.receive(online, at: .seconds(20))
    #expect(back.published == ["cmnd/d/STATE "] && back.problem == "null")
    #expect(model.deadline == .seconds(23))
    #expect(model.tick(at: .seconds(23)).problem?.contains("stat/d/RESULT") == true)
  }

  @Test("ignores a retained state of an offline device")
  func retainedButOffline() {
    var model = Self.model(PowerModel())
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    #expect(
      model.receive(MQTTMessage("tele/d/LWT", "Offline"), at: .zero).finished?
        .contains("offline") == true)
    let effects = model.receive(MQTTMessage("tele/d/STATE", #"{"POWER":"ON"}"#), at: .zero)
    #expect(effects.reports == [])
  }

  @Test("reports the commanded brightness when the device rounds it by 1 %")
  func rounding() {
    var model = Self.open(
      LightsModel(hasDimmer: true), #"{"POWER":"ON","Dimmer":50}"#, .dimmer)
    _ = model.begin(.reach(.brightness(30)), at: .zero)
    let rounded = MQTTMessage("stat/d/RESULT", #"{"POWER":"ON","Dimmer":29}"#)
    let effects = model.receive(rounded, at: .zero)
    #expect(effects.finished == "done")
    #expect(effects.reports.last?.contains("brightness=30") == true)
  }

  @Test(
    "confirms a brightness that a coarse dimmer rounds, and reports the commanded one",
    arguments: [(35, 4), (1, 1), (100, 10)])
  func coarseDimmer(brightness: Int, level: Int) throws {
    let commands: JSON = [
      "off": ["topic": "set", "payload": "0"],
      "dim": ["topic": "set", "payload": "{brightness}"],
    ]
    let sources: JSON = [
      "power": ["topic": "lamp", "pointer": "/power"],
      "brightness": ["topic": "lamp", "pointer": "/level"],
    ]
    var model = try Self.template(
      ["template": ["brightest": 10, "commands": commands, "state": sources]],
      for: LightsCommand.self)
    let state = { (level: Int) in MQTTMessage("lamp", #"{"power":"ON","level":\#(level)}"#) }
    #expect(model.receive(state(7), at: .zero).finished == "done")
    #expect(model.begin(.reach(.brightness(brightness)), at: .zero).published == ["set \(level)"])
    let effects = model.receive(state(level), at: .zero)
    #expect(effects.finished == "done")
    #expect(effects.reports.last == "reported brightness=\(brightness) power=\"on\"")
    #expect(model.receive(state(6), at: .zero).reports == ["reported brightness=60"])
  }

  @Test("assumes that the first movement of a screen behind a plug takes its travel time")
  func firstAssumedMovement() throws {
    let command: JSON = ["topic": "set", "payload": "x"]
    var model = try Self.template(
      [
        "drive": "switch", "travel": 20, "template": ["commands": ["on": command, "off": command]],
      ],
      for: ScreenCommand.self)
    let effects = model.begin(.reach(.end(.down)), at: .zero)
    #expect(effects.published == ["set x"] && effects.finished == "done")
    #expect(effects.reports == ["assumed position=\"moving\""])
    #expect(model.deadline == .seconds(20))
    #expect(model.tick(at: .seconds(20)).reports == ["assumed position=\"down\""])
  }

  @Test(
    "repeats off at the end of a load until the plug confirms it, and reports a problem meanwhile")
  func popperEnd() {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"OFF"}"#)
    _ = model.begin(.reach(.load), at: .zero)
    let on = MQTTMessage("stat/d/RESULT", #"{"POWER":"ON"}"#)
    #expect(model.receive(on, at: .zero).finished == "done")
    #expect(model.closingMessages == [MQTTMessage("cmnd/d/POWER1", "OFF")])
    #expect(model.deadline == .seconds(60))
    #expect(model.tick(at: .seconds(60)).published == ["cmnd/d/POWER1 OFF"])
    let again = model.tick(at: .seconds(62))
    #expect(again.published == ["cmnd/d/POWER1 OFF"])
    #expect(again.problem == "\"The device is not confirmed to be off\"")
    let off = model.receive(MQTTMessage("stat/d/POWER", "OFF"), at: .seconds(63))
    #expect(off.problem == "null")
    #expect(model.closingMessages == [] && model.deadline == nil)
  }

  @Test(
    "ends a load that begins after its command timed out or was cancelled",
    arguments: [true, false])
  func lateLoad(isCancelled: Bool) {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"OFF"}"#)
    _ = model.begin(.reach(.load), at: .zero)
    if isCancelled { model.abandon() } else { _ = model.tick(at: .seconds(5)) }
    // The plug sent this state before it got the command.
    _ = model.receive(MQTTMessage("stat/d/POWER", "OFF"), at: .seconds(5))
    #expect(model.closingMessages == [MQTTMessage("cmnd/d/POWER1", "OFF")])
    let late = model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .seconds(6))
    #expect(late.reports.last?.contains("popping=\"popping\"") == true)
    #expect(model.closingMessages == [MQTTMessage("cmnd/d/POWER1", "OFF")])
    #expect(model.deadline == .seconds(66))
    #expect(model.tick(at: .seconds(66)).published == ["cmnd/d/POWER1 OFF"])
  }

  @Test("does not turn off a popper that a person turned on")
  func popperTurnedOn() {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"ON"}"#)
    #expect(model.deadline == nil && model.closingMessages == [])
    _ = model.begin(.reach(.load), at: .zero)
    _ = model.tick(at: .seconds(5))
    _ = model.begin(.reach(.power(false)), at: .seconds(6))
    let off = model.receive(MQTTMessage("stat/d/POWER", "OFF"), at: .seconds(6))
    #expect(off.finished == "done" && model.closingMessages == [])
    let on = model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .seconds(10))
    #expect(on.reports == ["reported power=\"on\""])
    #expect(model.deadline == nil && model.closingMessages == [])
  }

  @Test("does not turn off a popper that a person turned on after the plug had refused a load")
  func refusedLoad() {
    var popper = PopperModel(popTime: .seconds(60))
    popper.didSend(.load)
    #expect(popper.closingRequest == .turn(false))
    popper.wasRefused(.load)
    popper.observe(.power(true), at: .seconds(10))
    #expect(popper.closingRequest == nil && popper.deadline == nil)
  }

  @Test(
    "refuses on and a load until the plug is confirmed to be off after the last load",
    arguments: [Goal.load, .power(true)])
  func endingLoad(goal: Goal) {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"OFF"}"#)
    _ = model.begin(.reach(.load), at: .zero)
    _ = model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .zero)
    #expect(model.tick(at: .seconds(60)).published == ["cmnd/d/POWER1 OFF"])
    let refused = model.begin(.reach(goal), at: .seconds(61))
    #expect(refused.published == [])
    #expect(refused.finished?.contains("not confirmed to be off") == true)
    _ = model.receive(MQTTMessage("stat/d/POWER", "OFF"), at: .seconds(61))
    #expect(model.begin(.reach(goal), at: .seconds(62)).published == ["cmnd/d/POWER1 ON"])
    #expect(model.tick(at: .seconds(62)).published == [])
  }

  @Test("refuses an on that waited for the broker until the load had ended")
  func onAfterLoad() {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"OFF"}"#)
    _ = model.begin(.reach(.load), at: .zero)
    let on = MQTTMessage("stat/d/POWER", "ON")
    _ = model.receive(on, at: .zero)
    _ = model.disconnected(Self.lost, at: .seconds(58))
    #expect(model.begin(.reach(.power(true)), at: .seconds(58)).finished == nil)
    _ = model.tick(at: .seconds(60))
    _ = model.connected(at: .seconds(61))
    let refused = model.receive(on, at: .seconds(61))
    #expect(refused.published == [])
    #expect(refused.finished?.contains("not confirmed to be off") == true)
  }

  @Test("reports idle when a person turns the popper off while it pops")
  func popperButton() {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"OFF"}"#)
    _ = model.begin(.reach(.load), at: .zero)
    _ = model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .zero)
    let effects = model.receive(MQTTMessage("stat/d/POWER", "OFF"), at: .seconds(5))
    #expect(effects.reports.last?.contains("popping=\"idle\"") == true)
    #expect(model.deadline == nil)
  }

  @Test(
    "reports a stuck screen as stopped, with a problem, after one and a half times its travel time")
  func stuckScreen() {
    let shutter = { (position: Int, direction: Int) in
      #"{"Shutter1":{"Position":\#(position),"Direction":\#(direction)}}"#
    }
    var model = Self.open(
      CoverModel(travel: .seconds(20), isInverted: false), shutter(100, 0), .cover)
    _ = model.begin(.reach(.end(.down)), at: .zero)
    let moves = model.receive(
      MQTTMessage("stat/d/RESULT", shutter(90, -1)), at: .seconds(1))
    #expect(moves.finished == "done")
    #expect(moves.reports.last == "reported position=\"moving\"")
    let stuck = model.tick(at: .seconds(60))
    #expect(stuck.reports == ["reported position=\"stopped\""])
    #expect(stuck.problem == #""the screen did not reach \"down\"; it stopped at 10 %""#)
  }

  @Test("reverses a moving screen that reports only its position")
  func reversed() {
    let state = { (position: Int) in
      MQTTMessage("stat/d/RESULT", #"{"Shutter1":{"Position":\#(position)}}"#)
    }
    var model = Self.open(
      CoverModel(travel: .seconds(20), isInverted: false), #"{"Shutter1":{"Position":100}}"#,
      .cover)
    _ = model.begin(.reach(.end(.down)), at: .zero)
    #expect(model.receive(state(80), at: .seconds(4)).finished == "done")
    _ = model.begin(.reach(.end(.up)), at: .seconds(5))
    #expect(model.receive(state(78), at: .seconds(6)).finished == "done")
    #expect(model.receive(state(100), at: .seconds(10)).reports == ["reported position=\"up\""])
  }

  @Test("reports a movement for five seconds after a single change of the position")
  func coasting() {
    var model = Self.open(
      CoverModel(travel: .seconds(20), isInverted: false), #"{"Shutter1":{"Position":50}}"#, .cover)
    let moved = MQTTMessage("stat/d/RESULT", #"{"Shutter1":{"Position":45}}"#)
    #expect(model.receive(moved, at: .zero).reports == ["reported position=\"moving\""])
    #expect(model.tick(at: .seconds(5)).reports == ["reported position=\"stopped\""])
  }

  @Test("reports an inverted cover as down when it is open")
  func inverted() {
    var model = Self.model(CoverModel(travel: .seconds(20), isInverted: true), .cover)
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    let open = MQTTMessage("stat/d/RESULT", #"{"Shutter1":{"Position":100,"Direction":0}}"#)
    #expect(model.receive(open, at: .zero).reports == ["reported position=\"down\""])
    #expect(
      model.begin(.reach(.end(.up)), at: .zero).published == ["cmnd/d/ShutterClose1 "])
  }

  @Test(
    "fails a command when the connection takes no more messages, and repeats a pending goal later")
  func fullConnection() {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"OFF"}"#)
    model.isConnectionFull = true
    let refused = model.begin(.reach(.power(true)), at: .zero)
    #expect(refused.published == [])
    #expect(refused.finished?.contains("not sent to the broker at h:1883") == true)
    model.isConnectionFull = false
    _ = model.begin(.reach(.load), at: .zero)
    _ = model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .zero)
    model.isConnectionFull = true
    #expect(model.tick(at: .seconds(60)).published == [])
    model.isConnectionFull = false
    #expect(model.tick(at: .seconds(62)).published == ["cmnd/d/POWER1 OFF"])
  }

  @Test("reports a refused subscription as a problem until the next connection")
  func refusedSubscription() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    let problem = model.refusedSubscription("stat/d/RESULT").problem
    #expect(problem?.contains("refuses the subscription of \\\"stat/d/RESULT") == true)
    #expect(problem?.contains("access list") == true)
    _ = model.disconnected(Self.lost, at: .zero)
    _ = model.connected(at: .zero)
    let state = MQTTMessage("stat/d/RESULT", #"{"POWER":"OFF"}"#)
    #expect(model.receive(state, at: .zero).problem == "null")
  }

  @Test("handles a burst at once, and later the newest of the further messages of each topic")
  func limiter() {
    var limiter = MessageLimiter()
    var handled = 0
    for number in 0..<1000 where limiter.admit(MQTTMessage("a", "\(number)"), at: .zero) {
      handled += 1
    }
    #expect(handled == Int(MessageLimiter.burst))
    #expect(limiter.next(at: .zero) == nil)
    let due = limiter.deadline
    #expect(due == .milliseconds(20))
    #expect(limiter.next(at: .milliseconds(20)) == MQTTMessage("a", "999"))
    #expect(limiter.deadline == nil)
  }
}

extension [DeviceModel.Effect] {
  fileprivate var published: [String] {
    compactMap {
      if case .publish(let message) = $0 { "\(message.topic) \(message.word ?? "")" } else { nil }
    }
  }

  fileprivate var reports: [String] {
    compactMap { effect in
      guard case .report(let values, let provenance) = effect else { return nil }
      let texts = values.sorted { $0.key.rawValue < $1.key.rawValue }
        .map { "\($0.key.rawValue)=\($0.value.text())" }
      return ([provenance.rawValue] + texts).joined(separator: " ")
    }
  }

  fileprivate var problem: String? {
    compactMap { effect -> String? in
      guard case .reportAttributes(let attributes) = effect else { return nil }
      return attributes["problem"]?.value.text()
    }.last
  }

  /// `done` if the job has ended with success, or the message of its failure; nil if it has not ended.
  fileprivate var finished: String? {
    compactMap { effect -> String? in
      switch effect {
      case .finish(.success): "done"
      case .finish(.failure(let error)): error.message
      default: nil
      }
    }.last
  }
}
