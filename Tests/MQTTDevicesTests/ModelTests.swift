import Devices
import JSON
import Testing

@testable import MQTTDevices

@Suite("What is known of an MQTT device, second by second")
struct ModelTests {
  private static let lost = BrokerFailure("no broker", hint: "Start it")

  private static func model(
    _ appliance: any ApplianceModel, _ kind: ApplianceKind = .plug, interval: Duration? = nil
  ) -> DeviceModel {
    DeviceModel(
      profile: TasmotaProfile(
        topic: "d", fullTopic: "%prefix%/%topic%/", channel: 1, kind: kind, interval: interval),
      appliance: appliance, place: "h:1883", timeout: .seconds(5))
  }

  /// A model of an open device that has told this state.
  private static func open(
    _ appliance: any ApplianceModel, _ state: String, _ kind: ApplianceKind = .plug,
    interval: Duration? = nil
  ) -> DeviceModel {
    var model = model(appliance, kind, interval: interval)
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    let effects = model.receive(MQTTMessage("stat/d/RESULT", state), at: .zero)
    #expect(effects.finished == "done")
    return model
  }

  @Test("A device that is silent for two intervals is asked, and is unknown after three")
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

  @Test("An answer after the question is enough")
  func answeredSilence() {
    var model = Self.open(PowerModel(), #"{"POWER":"ON"}"#, interval: .seconds(300))
    _ = model.tick(at: .seconds(600))
    _ = model.receive(MQTTMessage("stat/d/RESULT", #"{"POWER":"ON"}"#), at: .seconds(601))
    #expect(model.deadline == .seconds(1201))
  }

  @Test("A command that does not show is asked for, repeated, and fails in time")
  func repeats() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    #expect(model.begin(.reach(.power(true)), at: .zero).published == ["cmnd/d/POWER1 ON"])
    #expect(model.tick(at: .milliseconds(700)).published == ["cmnd/d/STATE "])
    #expect(
      model.tick(at: .milliseconds(2700)).published == ["cmnd/d/POWER1 ON", "cmnd/d/STATE "])
    #expect(model.tick(at: .seconds(5)).finished?.contains("within 5 s") == true)
    #expect(model.tick(at: .seconds(10)).published == [])
  }

  @Test("A command whose effect is there is sent, accepted at once, and reported again")
  func alreadyThere() {
    var model = Self.open(PowerModel(), #"{"POWER":"ON"}"#)
    let effects = model.begin(.reach(.power(true)), at: .zero)
    #expect(effects.published == ["cmnd/d/POWER1 ON"])
    #expect(effects.reports == ["reported power=\"on\""])
    #expect(effects.finished == "done")
  }

  @Test("No command is sent before the device has told its state on a new connection")
  func waitsForDevice() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    _ = model.lost(Self.lost, at: .zero)
    #expect(model.begin(.reach(.power(true)), at: .zero).published == [])
    #expect(model.connected(at: .seconds(1)).published == ["cmnd/d/STATE "])
    let state = MQTTMessage("stat/d/RESULT", #"{"POWER":"OFF"}"#)
    #expect(model.receive(state, at: .seconds(2)).published == ["cmnd/d/POWER1 ON"])
    let done = MQTTMessage("stat/d/POWER", "ON")
    #expect(model.receive(done, at: .seconds(3)).finished == "done")
  }

  @Test("A command without a connection fails in time with the reason")
  func noConnection() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    _ = model.lost(Self.lost, at: .zero)
    _ = model.begin(.reach(.power(true)), at: .zero)
    #expect(model.tick(at: .seconds(5)).finished == "no broker")
  }

  @Test("A broker that has come back without the device says so after three seconds")
  func silentAfterReconnect() {
    var model = Self.open(PowerModel(), #"{"POWER":"OFF"}"#)
    #expect(model.lost(Self.lost, at: .zero).problem == "\"no broker. Start it\"")
    _ = model.connected(at: .seconds(1))
    #expect(model.tick(at: .seconds(4)).problem?.contains("stat/d/RESULT") == true)
  }

  @Test("A retained state of a device that is offline is not taken")
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

  @Test("A brightness that the device rounds by 1 % counts as the commanded one")
  func rounding() {
    var model = Self.open(
      LightsModel(hasDimmer: true), #"{"POWER":"ON","Dimmer":50}"#, .dimmer)
    _ = model.begin(.reach(.brightness(30)), at: .zero)
    let rounded = MQTTMessage("stat/d/RESULT", #"{"POWER":"ON","Dimmer":29}"#)
    let effects = model.receive(rounded, at: .zero)
    #expect(effects.finished == "done")
    #expect(effects.reports.last?.contains("brightness=30") == true)
  }

  @Test("A load's end is repeated until the plug is off, and a person is told meanwhile")
  func popperEnd() {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"OFF"}"#)
    _ = model.begin(.reach(.load), at: .zero)
    let on = MQTTMessage("stat/d/RESULT", #"{"POWER":"ON"}"#)
    #expect(model.receive(on, at: .zero).finished == "done")
    #expect(model.farewell == [MQTTMessage("cmnd/d/POWER1", "OFF")])
    #expect(model.deadline == .seconds(60))
    #expect(model.tick(at: .seconds(60)).published == ["cmnd/d/POWER1 OFF"])
    let again = model.tick(at: .seconds(62))
    #expect(again.published == ["cmnd/d/POWER1 OFF"])
    #expect(again.problem == "\"The device is not confirmed to be off\"")
    let off = model.receive(MQTTMessage("stat/d/POWER", "OFF"), at: .seconds(63))
    #expect(off.problem == "null")
    #expect(model.farewell == [] && model.deadline == nil)
  }

  @Test("A popper that a person turns off while it pops is idle")
  func popperButton() {
    var model = Self.open(PopperModel(popTime: .seconds(60)), #"{"POWER":"OFF"}"#)
    _ = model.begin(.reach(.load), at: .zero)
    _ = model.receive(MQTTMessage("stat/d/POWER", "ON"), at: .zero)
    let effects = model.receive(MQTTMessage("stat/d/POWER", "OFF"), at: .seconds(5))
    #expect(effects.reports.last?.contains("popping=\"idle\"") == true)
    #expect(model.deadline == nil)
  }

  @Test("A screen that gets stuck is stopped after one and a half times its travel, and says so")
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
    #expect(stuck.problem?.contains("stands at 10 %") == true)
  }

  @Test("A screen that says only its position is sent back on its way")
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

  @Test("A position that changes once is a movement for five seconds")
  func coasting() {
    var model = Self.open(
      CoverModel(travel: .seconds(20), isInverted: false), #"{"Shutter1":{"Position":50}}"#, .cover)
    let moved = MQTTMessage("stat/d/RESULT", #"{"Shutter1":{"Position":45}}"#)
    #expect(model.receive(moved, at: .zero).reports == ["reported position=\"moving\""])
    #expect(model.tick(at: .seconds(5)).reports == ["reported position=\"stopped\""])
  }

  @Test("An inverted cover is down when it is open")
  func inverted() {
    var model = Self.model(CoverModel(travel: .seconds(20), isInverted: true), .cover)
    _ = model.begin(.open, at: .zero)
    _ = model.connected(at: .zero)
    let open = MQTTMessage("stat/d/RESULT", #"{"Shutter1":{"Position":100,"Direction":0}}"#)
    #expect(model.receive(open, at: .zero).reports == ["reported position=\"down\""])
    #expect(
      model.begin(.reach(.end(.up)), at: .zero).published == ["cmnd/d/ShutterClose1 "])
  }

  @Test("Of a flood of messages the newest of each topic is handled, in its time")
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

  /// `done`, or the message of the failure; nil without an end.
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
