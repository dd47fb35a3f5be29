import Devices
import JSON
import PluginKit
import Synchronization

/// The script of a device, and the commands that it received.
final class DeviceScript: Sendable {
  struct State {
    var commands: [JSON] = []
    /// The calls of `setMetering`.
    var metering: [Bool] = []
    var state: [StateKey: JSON] = [:]
    var capabilities = Capabilities()
    var opened = 0
    var closed = 0
    var hangsOnClose = false
    /// The answer to every opening; without one it opens.
    var refusedOpening: DeviceError?
    /// The items that it can play, if there are several.
    var items: [CatalogueItem] = []
    /// The picture of every item.
    var picture: ItemPicture?
    /// Answers to come, one for each command; then all is accepted.
    var refusals: [DeviceError?] = []
    /// Whether accepted values are reported at once.
    var reports = true
    var context: DeviceContext?
    var holds: [AsyncStream<Void>.Continuation] = []
    var holdsCommands = false
    var seen: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
  }
  let state = Mutex(State())

  init(_ values: [StateKey: JSON] = [:], capabilities: Capabilities = Capabilities()) {
    state.withLock {
      $0.state = values
      $0.capabilities = capabilities
    }
  }

  var commands: [JSON] { state.withLock { $0.commands } }
  var metering: [Bool] { state.withLock { $0.metering } }

  /// Accepts commands without reporting their effect.
  func reportNothing() { state.withLock { $0.reports = false } }
  /// Answers the next commands with these refusals, one each.
  func refuse(_ refusals: [DeviceError?]) { state.withLock { $0.refusals = refusals } }

  /// Makes every command wait until `release`.
  func holdCommands() { state.withLock { $0.holdsCommands = true } }
  /// Releases the waiting commands; later commands do not wait.
  func release() {
    let holds = state.withLock { state in
      state.holdsCommands = false
      state.hangsOnClose = false
      defer { state.holds = [] }
      return state.holds
    }
    for hold in holds { hold.finish() }
  }

  /// Refuses to be opened.
  func refuseOpening(_ error: DeviceError) { state.withLock { $0.refusedOpening = error } }

  /// Makes a close wait until `release`.
  func hangOnClose() { state.withLock { $0.hangsOnClose = true } }

  /// Reports a change that was made at the device, for example with a knob.
  func report(_ values: [StateKey: JSON]) {
    state.withLock { $0.context }?.report(values)
  }

  /// Reports levels, asked for or not.
  func report(_ levels: SoundLevels) {
    state.withLock { $0.context }?.report(levels)
  }

  /// Asks for a new cable, if the device is open.
  func requestPlug() { state.withLock { $0.context }?.requestPlug() }

  /// Waits until the device was given `count` commands.
  func waitForCommands(_ count: Int) async {
    await withCheckedContinuation { wake in
      let isThere = state.withLock { state in
        if state.commands.count >= count { return true }
        state.seen.append((count, wake))
        return false
      }
      if isThere { wake.resume() }
    }
  }

  /// Whether something waits for `release`.
  var isHeld: Bool { state.withLock { !$0.holds.isEmpty } }

  fileprivate func holdClose() -> AsyncStream<Void>? {
    state.withLock { state in
      guard state.hangsOnClose else { return nil }
      let (stream, hold) = AsyncStream<Void>.makeStream()
      state.holds.append(hold)
      return stream
    }
  }

  fileprivate func record(_ command: JSON) -> (AsyncStream<Void>?, DeviceError?) {
    let (answer, awake) = state.withLock { state in
      state.commands.append(command)
      let awake = state.seen.filter { $0.count <= state.commands.count }.map(\.wake)
      state.seen.removeAll { $0.count <= state.commands.count }
      let refusal = state.refusals.isEmpty ? nil : state.refusals.removeFirst()
      guard state.holdsCommands else { return ((nil as AsyncStream<Void>?, refusal), awake) }
      let (stream, hold) = AsyncStream<Void>.makeStream()
      state.holds.append(hold)
      return ((stream, refusal), awake)
    }
    for wake in awake { wake.resume() }
    return answer
  }
}

/// A device of any role that does what its script says.
struct ScriptedDevice<Command: RoleCommand>: PluginDevice {
  let context: DeviceContext
  let script: DeviceScript

  func open() async throws(DeviceError) -> Capabilities {
    let (values, capabilities, refusal) = script.state.withLock { state in
      state.opened += 1
      state.context = context
      return (state.state, state.capabilities, state.refusedOpening)
    }
    if let refusal { throw refusal }
    if capabilities.reportsState { context.report(values) }
    return capabilities
  }

  func close() async {
    let hold = script.holdClose()
    if let hold { for await _ in hold {} }
    script.state.withLock { $0.closed += 1 }
  }

  func perform(_ command: Command) async throws(DeviceError) {
    guard let checked = try? command.checked() else { return }
    let (hold, refusal) = script.record(checked.json)
    if let hold { for await _ in hold {} }
    if Task.isCancelled { throw DeviceError(.cancelled, "cancelled") }
    if let refusal { throw refusal }
    guard script.state.withLock({ $0.reports && $0.capabilities.reportsState }) else { return }
    switch checked.spec.settled {
    case .value(let key, let value): context.report([key: value])
    case .anyValue(let key, let values):
      if let value = values.first { context.report([key: value]) }
    case .argument(let key): if let value = checked.argument { context.report([key: value]) }
    case .playback(let statuses):
      guard let status = statuses.first else { return }
      let position = checked.argument?["position"]?.number ?? 0
      context.report(Playback(status, item: checked.argument?["item"]?.string, position: position))
    case .accepted: break
    }
  }
}

extension ScriptedDevice: PlayerDevice {
  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    let items = script.state.withLock { $0.items }
    return items.isEmpty ? [CatalogueItem(id: "one", title: folder ?? "own")] : items
  }
  func picture(of item: String) async throws(DeviceError) -> ItemPicture? {
    let (hold, refusal) = script.record(["picture": .string(item)])
    if let hold { for await _ in hold {} }
    if let refusal { throw refusal }
    return script.state.withLock { $0.picture }
  }
  func plug(into socket: CableSocket) async throws(DeviceError) {
    _ = script.record(["plug": .string(socket.path)])
  }
}

extension ScriptedDevice: AmplifierDevice {
  func openSocket(_ socket: CableSocket, input: String) async throws(DeviceError) {
    _ = script.record(["openSocket": .string(input)])
  }
  func setMetering(_ isOn: Bool) { script.state.withLock { $0.metering.append(isOn) } }
}
