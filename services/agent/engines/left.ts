import { type Left } from '../sandbox/index.js'

/** Returns warnings for a person about what a sandboxed program left in a workspace; `who`: a phrase that names the program. */
export function remarksOn ({ undone, suspect, instructions, lowered }: Left, who: string): Array<{ kind: string, message: string }> {
  return [
    ...undone.length === 0 ? [] : [{ kind: 'git_undone', message: `What ${who} has changed for git was undone: ${few(undone)}.` }],
    ...suspect.length === 0
      ? []
      : [{
          kind: 'git_planted',
          message: `${who.slice(0, 1).toUpperCase()}${who.slice(1)} has left something that git would run or follow outside of it: ${few(suspect)}. The next command outside the sandbox asks, whatever has been allowed.`
        }],
    ...instructions.length === 0
      ? []
      : [{
          kind: 'instructions_changed',
          message: `Instructions for agents were changed without the user having been asked: ${few(instructions)}. What those of the workspace say counts from when the user has accepted it.`
        }],
    ...lowered.length === 0
      ? []
      : [{
          kind: 'bits_taken',
          message: `Whoever starts these programs would do so as the service's user or group, so their set-user and set-group bits were taken away: ${few(lowered)}.`
        }]
  ]
}

function few (sentences: readonly string[]): string {
  return sentences.length > 5 ? `${sentences.slice(0, 5).join('; ')}; and ${sentences.length - 5} more` : sentences.join('; ')
}
