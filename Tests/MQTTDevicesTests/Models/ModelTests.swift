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
      CoverModel(travel: .seconds(20), inversion: CoverInversion()), shutter(100, 0), .cover)
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
      CoverModel(travel: .seconds(20), inversion: CoverInversion()),
      #"{"Shutter1":{"Position":100}}"#,
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
      CoverModel(travel: .seconds(20), inversion: CoverInversion()),
      #"{"Shutter1":{"Position":50}}"#, .cover)
    let moved = MQTTMessage("stat/d/RESULT", #"{"Shutter1":{"Position":45}}"#)
    #expect(model.receive(moved, at: .zero).reports == ["reported position=\"moving\""])
    #expect(model.tick(at: .seconds(5)).reports == ["reported position=\"stopped\""])
  }

  @Test("reports an inverted cover as down when it is open")
  func inverted() {
    var model = Self.model(
      CoverModel(
        travel: .seconds(20), inversion: CoverInversion(positions: true, commands: true)), .cover)
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    let open = MQTTMessage("stat/d/RESULT", #"{"Shutter1":{"Position":100,"Direction":0}}"#)
    #expect(model.receive(open, at: .zero).reports == ["reported position=\"down\""])
    #expect(
      model.begin(.reach(.end(.up)), at: .zero).published == ["cmnd/d/ShutterClose1 "])
  }

  @Test(
    "takes a position out of its range for unknown, sends the command, and assumes its effect",
    arguments: [-1, 101])
  func unknownPosition(position: Int) {
    let state = { (direction: Int) in
      MQTTMessage(
        "stat/d/RESULT", #"{"Shutter1":{"Position":\#(position),"Direction":\#(direction)}}"#)
    }
    var model = Self.open(
      CoverModel(travel: .seconds(20), inversion: CoverInversion()),
      #"{"Shutter1":{"Position":0}}"#, .cover)
    #expect(model.receive(state(0), at: .zero).reports == ["unknown position=\"down\""])
    #expect(
      model.begin(.reach(.end(.down)), at: .seconds(1)).published == ["cmnd/d/ShutterClose1 "])
    #expect(model.receive(state(-1), at: .seconds(1)).finished == "done")
    #expect(model.receive(state(0), at: .seconds(12)).reports == ["assumed position=\"down\""])
  }

  @Test("a word for an end decides where the position is out of its range", arguments: [-1, 101])
  func wordDecides(position: Int) throws {
    let profile = Zigbee2MQTTProfile(
      topic: "d", base: "z", endpoint: nil, kind: .cover, fade: nil, interval: nil)
    var model = DeviceModel(
      profile: profile, appliance: CoverModel(travel: .seconds(20), inversion: CoverInversion()),
      hostAndPort: "h", timeout: .seconds(5))
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    let state = MQTTMessage("z/d", #"{"position":\#(position),"state":"CLOSE"}"#)
    #expect(model.receive(state, at: .zero).reports == ["reported position=\"down\""])
  }

  @Test("inverts the positions and the commands of a screen independently of each other")
  func separateInversion() throws {
    let command = { (name: String) -> JSON in ["topic": "set", "payload": .string(name)] }
    let template: JSON = [
      "commands": ["up": command("open"), "down": command("close")],
      "state": ["position": ["topic": "at"]],
    ]
    for (options, isDownAtZero, down) in [
      (["inverted": true], false, "open"), ([:], true, "close"),
      (["invertedPositions": true], false, "close"), (["invertedCommands": true], true, "open"),
      (["inverted": true, "invertedCommands": false], false, "close"),
    ] as [(JSONObject, Bool, String)] {
      var all = options
      all["template"] = template
      var model = try Self.template(.object(all), for: ScreenCommand.self)
      let reports = model.receive(MQTTMessage("at", "0"), at: .zero).reports
      #expect(reports == ["reported position=\"\(isDownAtZero ? "down" : "up")\""])
      #expect(model.begin(.reach(.end(.down)), at: .zero).published == ["set \(down)"])
    }
  }

  @Test("says at once that a screen went the other way, and which options to change")
  func otherWay() {
    let shutter = { (position: Int, direction: Int) in
      MQTTMessage(
        "stat/d/RESULT",
        #"{"Shutter1":{"Position":\#(position),"Direction":\#(direction)}}"#)
    }
    let closed = #"{"Shutter1":{"Position":50,"Direction":0}}"#
    var model = Self.open(
      CoverModel(travel: .seconds(20), inversion: CoverInversion()), closed, .cover)
    _ = model.begin(.reach(.end(.down)), at: .zero)
    _ = model.receive(shutter(60, 1), at: .seconds(1))
    let there = model.receive(shutter(100, 0), at: .seconds(10))
    #expect(there.reports == ["reported position=\"up\""])
    #expect(there.problem?.contains("it went the other way") == true)
    #expect(there.problem?.contains(#"change \"invertedPositions\" to true"#) == true)
    #expect(there.problem?.contains(#"change \"invertedCommands\" to true"#) == true)
    #expect(model.begin(.reach(.end(.up)), at: .seconds(20)).problem == "null")
  }

  @Test("says soon that a screen stays at the other end")
  func staysAtOtherEnd() {
    let up = MQTTMessage("stat/d/RESULT", #"{"Shutter1":{"Position":100,"Direction":0}}"#)
    var model = Self.open(
      CoverModel(travel: .seconds(20), inversion: CoverInversion(positions: true)),
      #"{"Shutter1":{"Position":100,"Direction":0}}"#, .cover)
    _ = model.begin(.reach(.end(.up)), at: .zero)
    #expect(model.receive(up, at: .zero).finished == "done")
    _ = model.receive(up, at: .seconds(1))
    let ended = model.tick(at: .seconds(6))
    #expect(ended.reports == ["reported position=\"down\""])
    #expect(ended.problem?.contains(#"change \"invertedPositions\" to false"#) == true)
  }

  @Test("a screen that rests a little before its end after a command is at that end")
  func nearEnd() {
    let shutter = { (position: Int, direction: Int) in
      MQTTMessage(
        "stat/d/RESULT",
        #"{"Shutter1":{"Position":\#(position),"Direction":\#(direction)}}"#)
    }
    var model = Self.open(
      CoverModel(travel: .seconds(20), inversion: CoverInversion()),
      #"{"Shutter1":{"Position":100,"Direction":0}}"#, .cover)
    _ = model.begin(.reach(.end(.down)), at: .zero)
    _ = model.receive(shutter(60, -1), at: .seconds(5))
    let there = model.receive(shutter(6, 0), at: .seconds(15))
    #expect(there.reports == ["reported position=\"down\""] && there.problem == nil)
    let moves = model.receive(shutter(50, 1), at: .seconds(60))
    #expect(moves.reports == ["reported position=\"moving\""])
  }

  private static func lamp(_ state: String) -> MQTTMessage { MQTTMessage("stat/d/RESULT", state) }

  @Test("a dimmer with a least level confirms a darker command, and shows its level")
  func leastLevel() {
    var model = Self.open(
      LightsModel(hasDimmer: true), #"{"POWER":"ON","Dimmer":100}"#, .dimmer)
    _ = model.begin(.reach(.brightness(10)), at: .zero)
    let effects = model.receive(Self.lamp(#"{"POWER":"ON","Dimmer":15}"#), at: .zero)
    #expect(effects.finished == "done")
    #expect(effects.reports.last == "reported brightness=15 power=\"on\"")
    // The level does not change any more, so it is queried twice only.
    #expect(model.tick(at: .seconds(2)).published == ["cmnd/d/STATE "])
    _ = model.receive(Self.lamp(#"{"POWER":"ON","Dimmer":15}"#), at: .seconds(2))
    #expect(model.tick(at: .seconds(4)).published == ["cmnd/d/STATE "])
    _ = model.receive(Self.lamp(#"{"POWER":"ON","Dimmer":15}"#), at: .seconds(4))
    #expect(model.tick(at: .seconds(6)).published == [])
    #expect(model.deadline == nil)
  }

  @Test("a dimmer that already is at its least level confirms the repeated command")
  func alreadyAtLeastLevel() {
    let state = #"{"POWER":"ON","Dimmer":15}"#
    var model = Self.open(LightsModel(hasDimmer: true), state, .dimmer)
    _ = model.begin(.reach(.brightness(10)), at: .zero)
    #expect(model.receive(Self.lamp(state), at: .zero).finished == nil)
    _ = model.tick(at: .milliseconds(700))
    #expect(model.receive(Self.lamp(state), at: .milliseconds(700)).finished == nil)
    _ = model.tick(at: .milliseconds(2700))
    #expect(model.receive(Self.lamp(state), at: .milliseconds(2800)).finished == "done")
  }

  @Test(
    "a dimmer that does not obey, or does not report, fails the command", arguments: [true, false])
  func deafDimmer(reports: Bool) {
    let state = #"{"POWER":"ON","Dimmer":100}"#
    var model = Self.open(LightsModel(hasDimmer: true), state, .dimmer)
    _ = model.begin(.reach(.brightness(10)), at: .zero)
    for time in [700, 2700, 4700] {
      _ = model.tick(at: .milliseconds(time))
      if reports {
        #expect(model.receive(Self.lamp(state), at: .milliseconds(time)).finished == nil)
      }
    }
    #expect(model.tick(at: .seconds(5)).finished?.contains("within 5 s") == true)
  }

  @Test("a fade that reports its way is not begun anew", arguments: [100, 0])
  func fade(start: Int) {
    let before = start == 0 ? #"{"POWER":"OFF"}"# : #"{"POWER":"ON","Dimmer":\#(start)}"#
    var model = Self.open(LightsModel(hasDimmer: true), before, .dimmer)
    var published = model.begin(.reach(.brightness(50)), at: .zero).published
    var finished: [String] = []
    for second in 1...8 {
      let level = start + (50 - start) * second / 8
      let effects = model.receive(
        Self.lamp(#"{"POWER":"ON","Dimmer":\#(level)}"#), at: .seconds(second))
      finished += [effects.finished].compactMap(\.self)
      published += effects.published + model.tick(at: .seconds(second)).published
    }
    #expect(finished == ["done"])
    #expect(published.count { $0.contains("Dimmer") } == 1)
    #expect(model.receive(Self.lamp(#"{"POWER":"ON","Dimmer":50}"#), at: .seconds(9)).reports == [])
    #expect(model.tick(at: .seconds(9)).published == [])
    #expect(model.deadline == nil)
  }

  @Test("lights that fade out confirm off as soon as they get darker")
  func fadeOut() {
    var model = Self.open(
      LightsModel(hasDimmer: true), #"{"POWER":"ON","Dimmer":80}"#, .dimmer)
    _ = model.begin(.reach(.power(false)), at: .zero)
    let way = model.receive(Self.lamp(#"{"POWER":"ON","Dimmer":60}"#), at: .seconds(1))
    #expect(way.finished == "done")
    #expect(way.reports.first?.contains("brightness=60") == true)
    #expect(model.tick(at: .seconds(3)).published == ["cmnd/d/STATE "])
    let off = model.receive(Self.lamp(#"{"POWER":"OFF"}"#), at: .seconds(8))
    #expect(off.reports == ["reported brightness=0 power=\"off\""])
  }

  @Test("a command with a fade is not sent once more before the fade would be over")
  func silentFade() throws {
    let profile = Zigbee2MQTTProfile(
      topic: "d", base: "z", endpoint: nil, kind: .dimmer, fade: .seconds(8), interval: nil)
    var model = DeviceModel(
      profile: profile, appliance: LightsModel(hasDimmer: true), hostAndPort: "h",
      timeout: .seconds(5))
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    let state = MQTTMessage("z/d", #"{"state":"ON","brightness":254}"#)
    #expect(model.receive(state, at: .zero).finished == "done")
    var published = model.begin(.reach(.brightness(10)), at: .zero).published
    var failure: String?
    for tenth in 1...95 {
      let effects = model.tick(at: .milliseconds(100 * tenth))
      published += effects.published
      failure = failure ?? effects.finished
    }
    #expect(published.count { $0.hasPrefix("z/d/set") } == 1)
    #expect(failure?.contains("has not confirmed") == true)
  }

  @Test(
    "a brightness out of its range is unknown, and the commanded one is assumed while the lights are on",
    arguments: [-1, 101])
  func unknownBrightness(brightness: Int) {
    var model = Self.open(
      LightsModel(hasDimmer: true), #"{"POWER":"ON","Dimmer":40}"#, .dimmer)
    let state = Self.lamp(#"{"POWER":"ON","Dimmer":\#(brightness)}"#)
    #expect(model.receive(state, at: .zero).reports == ["unknown brightness=40"])
    _ = model.begin(.reach(.brightness(10)), at: .zero)
    let done = model.receive(state, at: .seconds(1))
    #expect(done.finished == "done")
    #expect(done.reports.contains("assumed brightness=10"))
  }

  @Test("takes the first level after a new connection for the old one, not for an effect")
  func levelAfterNewConnection() {
    var model = Self.open(
      LightsModel(hasDimmer: true), #"{"POWER":"ON","Dimmer":60}"#, .dimmer)
    _ = model.disconnected(Self.lost, at: .zero)
    _ = model.begin(.reach(.brightness(20)), at: .seconds(1))
    _ = model.connected(at: .seconds(1))
    let power = model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .seconds(1))
    #expect(power.published == ["cmnd/d/Dimmer 20", "cmnd/d/POWER1 ON"])
    let old = Self.lamp(#"{"POWER":"ON","Dimmer":60}"#)
    #expect(model.receive(old, at: .seconds(1)).finished == nil)
    let new = Self.lamp(#"{"POWER":"ON","Dimmer":20}"#)
    #expect(model.receive(new, at: .seconds(2)).finished == "done")
  }

  @Test("takes no level that lights report while they are off for an effect, nor an old one")
  func levelOfLightsThatAreOff() {
    var model = Self.open(LightsModel(hasDimmer: true), #"{"POWER":"OFF"}"#, .dimmer)
    _ = model.begin(.reach(.brightness(20)), at: .zero)
    let old = Self.lamp(#"{"POWER":"OFF","Dimmer":40}"#)
    #expect(model.receive(old, at: .zero).finished == nil)
    #expect(model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .zero).finished == nil)
    let new = model.receive(Self.lamp(#"{"POWER":"ON","Dimmer":20}"#), at: .zero)
    #expect(new.finished == "done")
    #expect(new.reports.last == "reported brightness=20 power=\"on\"")
  }

  @Test("a dimmer with a least level that was off confirms a darker command with its first state")
  func leastLevelFromOff() {
    var model = Self.open(LightsModel(hasDimmer: true), #"{"POWER":"OFF"}"#, .dimmer)
    _ = model.begin(.reach(.brightness(10)), at: .zero)
    let state = Self.lamp(#"{"POWER":"ON","Dimmer":15}"#)
    #expect(model.receive(state, at: .zero).finished == "done")
  }

  @Test("opens a device that reports no state after three seconds, and sends it commands")
  func silentDevice() {
    var model = Self.model(LightsModel(hasDimmer: true), .dimmer)
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    let opened = model.tick(at: .seconds(3))
    #expect(opened.finished == "done" && opened.reports == [])
    #expect(opened.problem?.contains("reports no state") == true)
    let command = model.begin(.reach(.brightness(30)), at: .seconds(4))
    #expect(command.published == ["cmnd/d/Dimmer 30", "cmnd/d/POWER1 ON"])
    let done = model.receive(Self.lamp(#"{"POWER":"ON","Dimmer":30}"#), at: .seconds(4))
    #expect(done.finished == "done" && done.problem == "null")
  }

  @Test("a command waits for a device that is silent on a new connection, for three seconds")
  func silentAgain() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    _ = model.disconnected(Self.lost, at: .zero)
    _ = model.connected(at: .seconds(1))
    #expect(model.begin(.reach(.power(true)), at: .seconds(1)).published == [])
    #expect(model.tick(at: .seconds(4)).published.contains("cmnd/d/POWER1 ON"))
    let on = MQTTMessage("stat/d/POWER", "ON")
    #expect(model.receive(on, at: .seconds(5)).finished == "done")
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
