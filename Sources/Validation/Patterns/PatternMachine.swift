/// One step of a pattern's program.
enum PatternInstruction: Sendable {
  case consume(CodePointSet)
  /// Continues at both instructions.
  case split(Int, Int)
  case jump(Int)
  case match
}

/// Writes a pattern out as a program.
struct PatternProgram {
  private var instructions: [PatternInstruction] = []

  static func instructions(for node: PatternNode) -> [PatternInstruction] {
    var program = PatternProgram()
    program.append(node)
    program.instructions.append(.match)
    return program.instructions
  }

  private mutating func append(_ node: PatternNode) {
    switch node {
    case .one(let set): instructions.append(.consume(set))
    case .sequence(let nodes): for node in nodes { append(node) }
    case .choice(let branches): append(branches[...])
    case .repetition(let node, let fewest, let most):
      for _ in 0..<fewest { append(node) }
      if let most {
        append(optional: node, times: most - fewest)
      } else {
        append(loop: node)
      }
    }
  }

  /// Appends a place for an instruction whose target is not known yet, and returns its index.
  private mutating func reserve() -> Int {
    instructions.append(.match)
    return instructions.count - 1
  }

  private mutating func append(_ branches: ArraySlice<PatternNode>) {
    guard let first = branches.first else { return }
    guard branches.count > 1 else { return append(first) }
    let split = reserve()
    append(first)
    let jump = reserve()
    instructions[split] = .split(split + 1, instructions.count)
    append(branches.dropFirst())
    instructions[jump] = .jump(instructions.count)
  }

  private mutating func append(optional node: PatternNode, times: Int) {
    var splits: [Int] = []
    for _ in 0..<times {
      splits.append(reserve())
      append(node)
    }
    for split in splits { instructions[split] = .split(split + 1, instructions.count) }
  }

  private mutating func append(loop node: PatternNode) {
    let split = reserve()
    append(node)
    instructions.append(.jump(split))
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
      if case .consume(let set) = program[at], set.contains(point) { at + 1 } else { nil }
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
      case .consume, .match: waiting.append(at)
      case .jump(let to): open.append(to)
      case .split(let one, let other):
        open.append(one)
        open.append(other)
      }
    }
  }
}
