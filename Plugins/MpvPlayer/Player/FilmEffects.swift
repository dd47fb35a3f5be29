import Devices
import JSON
import Platform
import PluginProtocol

extension FilmModel {
  /// The number of an opening, a stop or a seek. Requests carry it, and their answers return it: an answer with an
  /// older number is late.
  typealias Ticket = Int

  /// A medium to open.
  struct Start: Equatable, Sendable {
    let medium: Medium
    /// The position in seconds at which it begins.
    var seconds = 0.0
    var isPaused = false
    /// Whether the status `opening` is reported first.
    var isAnnounced = true
  }

  /// A song that mpv plays after the present one, by itself.
  struct AppendedSong: Equatable, Sendable {
    let song: Medium
    /// mpv's number of it.
    let number: Int
  }

  /// A request to mpv or to the library, which the player carries out while the model goes on.
  enum Request: Equatable, Sendable {
    /// Starts mpv if it does not run, and makes it load a medium. Answer: `opened`.
    case open(Start)
    /// Reads the facts of the loaded medium. Answer: `facts`.
    case readFacts(Medium)
    /// Reads the facts and the outputs of the medium that plays. Answer: `outputs`.
    case checkOutputs(MediaFacts)
    /// Pauses the medium if wanted, and reads its position. Answer: `settled`.
    case settle(pauses: Bool)
    /// Answer: `paused` or `notPaused`.
    case pause
    /// Answer: `resumed` or `notResumed`.
    case resume
    /// Answer: `failed` if mpv does not accept it; otherwise an event follows.
    case seek(Double)
    /// Asks for the position. Answer: `position` or `noPosition`.
    case position(within: Duration)
    /// Makes mpv stop what it plays or opens; kills an mpv that does not answer. Answer: `stopped`.
    case stop
    /// Waits until the last frame was heard. Answer: `silent`.
    case waitForSilence
    /// Loads the song after this one, so that mpv goes on with it without a gap. Answer: `appended`.
    case append(after: String)
    /// Examines the file of a medium that has ended. Answer: `inspected`.
    case inspect(Medium, FilmEnd)
    /// Looks for the song after this one. Answer: `next`.
    case findNext(item: String)
  }

  /// An answer to a request.
  ///
  /// Requests that wait beside others, such as a pause beside one for the position, have failures of their own.
  enum Answer: Equatable, Sendable {
    /// mpv loads the medium, with this number of a playlist entry.
    case opened(Int?)
    case facts(MediaFacts)
    /// The facts, and whether an output is missing although the medium needs it.
    case outputs(MediaFacts, isWithoutSound: Bool, isWithoutPicture: Bool)
    /// mpv has accepted a request; what follows is an event.
    case accepted
    /// The position in seconds; nil if mpv reports none.
    case settled(Double?)
    case paused(Double?)
    case notPaused(MpvFailure)
    case resumed
    case notResumed(MpvFailure)
    case position(PositionAnswer)
    case noPosition(MpvFailure)
    /// The song that mpv plays next, and its number; nil for none.
    case appended(AppendedSong?)
    case inspected(FilmEnd.Inspection)
    case stopped
    case silent
    /// The next song; nil at the end of the disc or folder.
    case next(Medium?)
    /// mpv does not answer another request, or its connection has ended.
    case lost(MpvFailure)
    /// mpv or the library refused another request, for this reason.
    case failed(String)
  }

  /// An action that the player must execute.
  enum Effect: Equatable, Sendable {
    case ask(Ticket, Request)
    /// Kills mpv. The model expects no event of it afterwards.
    case kill
    case report(Playback)
    case reportAttributes([String: Attribute])
    /// Ends the command with this result.
    case finish(Result<Void, DeviceError>)
    case log(LogNotification.Level, String)

    static func == (left: Effect, right: Effect) -> Bool {
      switch (left, right) {
      case (.ask(let ticket, let request), .ask(let other, let another)):
        ticket == other && request == another
      case (.kill, .kill), (.finish(.success), .finish(.success)): true
      case (.report(let playback), .report(let other)): playback == other
      case (.reportAttributes(let values), .reportAttributes(let others)): values == others
      case (.finish(.failure(let error)), .finish(.failure(let other))): error == other
      case (.log(let level, let text), .log(let otherLevel, let other)):
        level == otherLevel && text == other
      default: false
      }
    }
  }
}
