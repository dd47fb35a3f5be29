/// The completion scripts of ArgumentParser, changed so that no shell expands a title.
enum CompletionScript {
  /// The script with its unsafe parts replaced; any other text as it is.
  static func replacingExpansions(in text: String) -> String {
    if text.hasPrefix("#!/bin/bash") { return bash(text) }
    // zsh quotes a candidate by the options of this moment, but expands `!` by those of the person.
    if text.hasPrefix("#compdef") {
      return text.replacing("unsetopt aliases banghist", with: "unsetopt aliases")
    }
    return text
  }

  /// `compgen -W` expands its words; each call is replaced by one that takes candidates as they are.
  private static func bash(_ text: String) -> String {
    let call = "__theater_add_completions -W \"$(__theater_custom_complete "
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let found = line.firstRange(of: call), line.hasSuffix(")\"") else {
        return String(line)
      }
      return line[..<found.lowerBound] + "__theater_add_quoted_completions "
        + line[found.upperBound...].dropLast(2)
    }
    return lines.joined(separator: "\n")
      .replacing("\n_theater() {\n", with: "\n\(addition)\n\n_theater() {\n", maxReplacements: 1)
  }

  /// Candidates are quoted already: without `filenames` readline inserts them as they are.
  private static let addition = """
    __theater_add_quoted_completions() {
        compopt +o filenames
        local -x \(CompletionRequest.lineVariable)="${COMP_LINE:0:COMP_POINT}"
        local -x \(CompletionRequest.replacedVariable)="${cur}"
        local completion
        while IFS='' read -r completion; do
            [[ -n "${completion}" ]] && COMPREPLY+=("${completion}")
        done < <(__theater_custom_complete "${@}")
    }
    """
}
