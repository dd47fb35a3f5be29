import Devices
import JSON
import MediaFolders
import Platform
import PluginKit
import PluginProtocol

/// A CD player whose discs are folders of music files.
///
/// Passes commands, answers, events and deadlines to a ``CDPlayerModel``, one after the other, and executes its
/// effects.
actor FolderCDPlayer: PlayerDevice {
  /// The most skipped files of a scan that the log names; it counts the rest.
  private static let mostNamedFiles = 20
  /// The time between two attempts to reach a folder.
  private static let folderInterval = Duration.seconds(30)

  private let context: DeviceContext
  private let library: MediaLibrary
  private let clock: any TheaterClock
  private let engine: PlaybackEngine
  private let ownFolders: [String]
  private let timer: DeadlineTimer
  private var model = CDPlayerModel()
  /// The result of the command in progress.
  private var command: PendingResult?
  /// The opening in progress, or the last one.
  private var opening: PlaybackEngine.Opening?
  private var backgroundTasks: [Task<Void, Never>] = []
  /// The failures of its own folders, by path.
  private var problems: [String: MediaFailure] = [:]
  private var isRetrying = false

  /// Creates a player over the folders of its option `folders` and those that are scanned later.
  init(
    context: DeviceContext, library: MediaLibrary = MediaLibrary(),
    clock: any TheaterClock = SystemClock(), cableClock: any CableClock = MonotonicClock()
  ) throws(DeviceError) {
    self.context = context
    self.library = library
    self.clock = clock
    timer = DeadlineTimer(clock)
    ownFolders = try OptionReader(context.options).texts("folders")
    do {
      engine = try PlaybackEngine(clock: cableClock) { library.listDisc(of: $0) }
    } catch {
      throw DeviceError(.failed, error.message)
    }
  }

  func open() async throws(DeviceError) -> Capabilities {
    // A share that does not answer delays nothing: the commands wait for the folder that they need.
    let (library, folders) = (library, ownFolders)
    backgroundTasks = [
      Task {
        await library.add(folders) { await self.setProblem($1, of: $0) }
      },
      Task { for await event in engine.events { self.handle(event) } },
      Task { for await event in engine.source.events { self.handle(event) } },
    ]
    update { model, _, now in model.open(at: now) }
    timer.start { await self.tick($0) }
    return Capabilities(names: ["seek"], cables: [.pcm])
  }

  func close() async {
    for task in backgroundTasks { task.cancel() }
    await timer.stop()
    engine.close()
  }

  func perform(_ command: CDPlayerCommand) async throws(DeviceError) {
    let result = PendingResult()
    self.command?.finish(.failure(.replaced))
    self.command = result
    update { model, sound, now in model.begin(command, sound, at: now) }
    if Task.isCancelled { abandon(result) }
    do {
      try await result.value()
    } catch {
      abandon(result)
      throw error
    }
  }

  /// Drops a command whose caller has cancelled it, unless it has ended.
  private func abandon(_ result: PendingResult) {
    guard command === result else { return }
    command = nil
    result.finish(.failure(.replaced))
    update { model, sound, now in model.abandon(sound, at: now) }
  }

  func plug(into socket: CableSocket) async throws(DeviceError) {
    try await engine.source.plug(into: socket)
  }

  func scan(folder: String?) async throws(DeviceError) -> [CatalogueItem] {
    try await list(folder: folder).items
  }

  func list(folder: String?) async throws(DeviceError) -> CatalogueListing {
    var found = CatalogueListing([])
    for path in folder.map({ [$0] }) ?? ownFolders {
      do {
        let (items, skipped) = try await library.scan(path)
        found.items += items
        found.append(leftOut: skipped.leftOut, count: skipped.count)
        log(skipped, in: path)
        setProblem(nil, of: path)
      } catch {
        guard folder == nil else { throw DeviceError(error) }
        setProblem(error, of: path)
        found.append(leftOut: SkippedFiles([error]).leftOut, count: 1)
      }
    }
    return found
  }

  /// Tries every 30 s to reach the folders that did not answer, until all do.
  private func retryFolders() async {
    while !problems.isEmpty, (try? await clock.sleep(for: Self.folderInterval)) != nil {
      for path in problems.keys.sorted() {
        do throws(MediaFailure) {
          _ = try await library.addInTime(path)
          setProblem(nil, of: path)
        } catch {
          setProblem(error, of: path)
        }
      }
    }
    isRetrying = false
  }

  /// Records whether one of its own folders can be read, and reports a change as the attribute `problem`.
  private func setProblem(_ failure: MediaFailure?, of path: String) {
    guard ownFolders.contains(path), problems[path]?.message != failure?.message else { return }
    problems[path] = failure
    if failure != nil, !isRetrying {
      isRetrying = true
      backgroundTasks.append(Task { await retryFolders() })
    }
    if let failure {
      context.log(.warning, failure.message)
    } else {
      context.log(.info, "\(path) can be read again; scan the library to list its songs")
    }
    let text = problems.sorted { $0.key < $1.key }.map(\.value.message).joined(separator: " ")
    context.report(attributes: [
      "problem": Attribute(text.isEmpty ? .null : .string(text), label: "Problem")
    ])
  }

  private func log(_ skipped: SkippedFiles, in path: String) {
    let named = skipped.failures.prefix(Self.mostNamedFiles)
    for failure in named { context.log(.warning, "not listed: \(failure.message)") }
    let rest = skipped.count - named.count
    if rest > 0 { context.log(.warning, "not listed in \(path): \(rest) more files") }
  }

  // MARK: Inputs of the model

  private func handle(_ event: PlaybackEvent) {
    update { model, sound, now in model.handle(event, sound, at: now) }
  }

  private func handle(_ event: CableSourceEvent) {
    switch event {
    case .drained(let section):
      update { model, sound, now in model.drained(section, sound, at: now) }
    case .unplugged(let error): context.log(.info, "the cable is not connected: \(error.message)")
    case .plugged, .heard: break
    }
  }

  private func deliver(_ answer: CDPlayerModel.Answer, to generation: Int) {
    update { model, sound, now in model.handle(answer, to: generation, sound, at: now) }
  }

  /// Handles the deadlines that are due. Returns the time of the next call; nil for none.
  private func tick(_ now: Duration) -> Duration? {
    apply(model.tick(engine.sound, at: now))
    return model.deadline
  }

  /// Passes an input to the model, executes the effects, and sets the timer.
  private func update(
    _ input: (inout CDPlayerModel, SoundState, Duration) -> [CDPlayerModel.Effect]
  ) {
    apply(input(&model, engine.sound, clock.now()))
    if let deadline = model.deadline { timer.wake(at: deadline) }
  }

  // MARK: Effects

  /// Executes effects in their order, so that reports are sent before the answer to their command.
  private func apply(_ effects: [CDPlayerModel.Effect]) {
    for effect in effects {
      switch effect {
      case .reportState(let values): context.report(values)
      case .report(let playback): context.report(playback)
      case .log(let level, let text): context.log(level, text)
      case .finish(let error):
        command?.finish(error.map { .failure($0) } ?? .success(()))
        command = nil
      case .find, .findFirstSong, .listDisc: request(effect)
      case .warmUp, .open, .cancelOpening, .pauseSound, .resumeSound, .stopSound, .setOrder:
        control(effect)
      }
    }
  }

  /// Reads the disk in a task of its own, which delivers the answer.
  private func request(_ effect: CDPlayerModel.Effect) {
    let (library, clock) = (library, clock)
    switch effect {
    case .find(let item, let generation):
      Task {
        let result = await Result { () async throws(MediaFailure) in
          try await library.resolve(item, clock: clock)
        }
        deliver(.found(result.map { $0 }), to: generation)
      }
    case .findFirstSong(let generation):
      Task {
        let result = await Result { () async throws(MediaFailure) in
          try await library.firstSong(clock: clock)
        }
        deliver(.found(result), to: generation)
      }
    case .listDisc(let song, let generation):
      Task {
        let result = await Result { () async throws(MediaFailure) in
          try await library.disc(of: song)
        }
        deliver(.listed(result), to: generation)
      }
    default: break
    }
  }

  private func control(_ effect: CDPlayerModel.Effect) {
    switch effect {
    case .warmUp: engine.warmUp()
    case .open(let song, let seconds, let generation):
      let opening = engine.open(song, seconds: seconds)
      self.opening = opening
      Task { deliver(.opened(await opening.value()), to: generation) }
    case .cancelOpening: opening?.cancel()
    case .pauseSound:
      let place = engine.pause()
      apply(model.soundPaused(at: place, engine.sound, at: clock.now()))
    case .resumeSound: engine.source.resume()
    case .stopSound: engine.stop()
    case .setOrder(let songs): engine.setOrder(songs)
    default: break
    }
  }
}

extension DeviceError {
  fileprivate static let replaced = DeviceError(.cancelled, "a newer command took its place")
}

extension Result where Failure == MediaFailure {
  /// The outcome of an asynchronous body.
  fileprivate init(_ body: () async throws(MediaFailure) -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
