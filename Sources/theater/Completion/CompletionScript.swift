/// ArgumentParser's completion scripts, changed so that no shell expands a title.
enum CompletionScript {
  /// Replaces the unsafe parts of a completion script; returns any other text unchanged.
  static func replacingExpansions(in text: String) -> String {
    if text.hasPrefix("#!/bin/bash") { return bash(text) }
    // zsh quotes candidates by the script's options, but expands `!` by those of the user.
    if text.hasPrefix("#compdef") {
      return text.replacing("unsetopt aliases banghist", with: "unsetopt aliases")
    }
    return text
  }

  /// `compgen -W` expands its words; each call is replaced by one that adds candidates unchanged.
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
      .replacing("\n_theater() {\n", with: "\n\(functions)\n\n_theater() {\n", maxReplacements: 1)
      .replacing("\n_theater() {\n", with: "\n_theater() {\n\(joiningWords)\n", maxReplacements: 1)
  }

  /// Completes with the words as the person sees them: bash splits them at each of COMP_WORDBREAKS.
  private static let joiningWords = """
        local -a COMP_WORDS=("${COMP_WORDS[@]}")
        local -i COMP_CWORD="${COMP_CWORD}"
        __theater_join_words
    """

  /// Candidates are quoted already; without `filenames` readline inserts them unchanged.
  private static let functions = """
    __theater_add_quoted_completions() {
        compopt +o filenames
        local -x \(CompletionRequest.lineVariable)="${COMP_LINE:0:COMP_POINT}"
        local -x \(CompletionRequest.replacedVariable)="${cur}"
        local completion
        while IFS='' read -r completion; do
            [[ -n "${completion}" ]] && COMPREPLY+=("${completion}")
        done < <(__theater_custom_complete "${@}")
    }

    # Joins the words that bash has split at a colon, an equals sign or an at sign.
    __theater_join_words() {
        local rest="${COMP_LINE}" word
        local -a joined=()
        local -i index cursor=0
        for index in "${!COMP_WORDS[@]}"; do
            word="${COMP_WORDS[${index}]}"
            if [[ "${index}" -gt 0 && -n "${word}" && "${rest}" != [[:space:]]*\
                && "${joined[-1]}" != -* && "${joined[-1]: -1}${word:0:1}" = *[:=@]* ]]
            then
                joined[-1]+="${word}"
            else
                joined+=("${word}")
            fi
            rest="${rest#"${rest%%[![:space:]]*}"}"
            # Not the line's own words: they stay as they are.
            [[ "${rest}" = "${word}"* ]] || return
            rest="${rest:${#word}}"
            [[ "${index}" -le "${COMP_CWORD}" ]] && cursor="$((${#joined[@]} - 1))"
        done
        COMP_WORDS=("${joined[@]}")
        COMP_CWORD="${cursor}"
    }
    """
}
