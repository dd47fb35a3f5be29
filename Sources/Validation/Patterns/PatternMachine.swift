/// One step of a pattern's program.
enum PatternInstruction: Sendable {
  case take(CodePointSet)
  /// Continues at both instructions.
  case split(Int, Int)
  case jump(Int)
  case match
}

/// Writes a pattern out as a program.
struct PatternProgram {
  private var instructions: [PatternInstruction] = []
  /// The number of nodes written so far; they are counted because empty ones add no instruction.
  private var nodes = 0

  static func instructions(for node: PatternNode) throws(PatternError) -> [PatternInstruction] {
    var program = PatternProgram()
    try program.append(node)
    try program.append(.match)
    return program.instructions
  }

  private mutating func append(_ instruction: PatternInstruction) throws(PatternError) {
    guard instructions.count < Pattern.mostSteps else { throw .tooManySteps }
    instructions.append(instruction)
  }

  private mutating func append(_ node: PatternNode) throws(PatternError) {
    nodes += 1
    guard nodes <= 4 * Pattern.mostSteps else { throw .tooManySteps }
    switch node {
    case .one(let set): try append(.take(set))
    case .sequence(let nodes): for node in nodes { try append(node) }
    case .choice(let branches): try append(branches[...])
    case .repetition(let node, let fewest, let most):
      for _ in 0..<fewest { try append(node) }
      if let most {
        try append(optional: node, times: most - fewest)
      } else {
        try append(loop: node)
      }
    }
  }

  private mutating func append(_ branches: ArraySlice<PatternNode>) throws(PatternError) {
    guard let first = branches.first else { return }
    guard branches.count > 1 else { return try append(first) }
    let split = instructions.count
    try append(.match)  // placeholder
    try append(first)
    let jump = instructions.count
    try append(.match)  // placeholder
    instructions[split] = .split(split + 1, instructions.count)
    try append(branches.dropFirst())
    instructions[jump] = .jump(instructions.count)
  }

  private mutating func append(optional node: PatternNode, times: Int) throws(PatternError) {
    var splits: [Int] = []
    for _ in 0..<times {
      splits.append(instructions.count)
      try append(.match)  // placeholder
      try append(node)
    }
    for split in splits { instructions[split] = .split(split + 1, instructions.count) }
  }

  private mutating func append(loop node: PatternNode) throws(PatternError) {
    let split = instructions.count
    try append(.match)  // placeholder
    try append(node)
    try append(.jump(split))
    instructions[split] = .split(split + 1, instructions.count)
  }
}

/// Runs a program over a text. It follows all alternatives at once, so it never backtracks.
struct PatternMachine {
  private let program: [PatternInstruction]
  /// The instructions that wait for the next code point, or for the end.
  private var waiting: [Int] = []
  /// The step in which each instruction was last reached.
  private var reached: [Int]
  private var steps = 0

  init(_ program: [PatternInstruction]) {
    self.program = program
    reached = Array(repeating: 0, count: program.count)
    follow([0])
  }

  /// Whether no further text can match.
  var isStuck: Bool { waiting.isEmpty }

  /// Whether the text so far matches.
  var isFinished: Bool {
    waiting.contains { if case .match = program[$0] { true } else { false } }
  }

  mutating func step(_ point: Unicode.Scalar) {
    let after = waiting.compactMap { at in
      if case .take(let set) = program[at], set.contains(point) { at + 1 } else { nil }
    }
    follow(after)
  }

  /// Waits at the instructions that are reached from `starts` without a code point.
  private mutating func follow(_ starts: [Int]) {
    waiting.removeAll(keepingCapacity: true)
    steps += 1
    var open = starts
    while let at = open.popLast() {
      guard reached[at] != steps else { continue }
      reached[at] = steps
      switch program[at] {
      case .take, .match: waiting.append(at)
      case .jump(let to): open.append(to)
      case .split(let one, let other):
        open.append(one)
        open.append(other)
      }
    }
  }
}
