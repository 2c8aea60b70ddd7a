import { reason } from '../../../reasons/index.js'
import { warned } from '../run-events.js'
import { type Leftovers } from '../sandbox/index.js'

type Warning = ReturnType<typeof warned>

/** Returns warnings for a person about what a sandboxed program left in a workspace. `agent`: the agent that did; null for a command. */
export function leftWarnings ({ undone, suspect, instructions, lowered }: Leftovers, agent: string | null): Warning[] {
  const by = (code: 'git_undone' | 'git_planted', files: string): Warning =>
    warned(code, agent === null ? reason(code, { files }) : reason(`${code}_by`, { agent, files }))
  return [
    ...undone.length === 0 ? [] : [by('git_undone', few(undone))],
    ...suspect.length === 0 ? [] : [by('git_planted', few(suspect))],
    ...instructions.length === 0 ? [] : [warned('instructions_changed', reason('instructions_changed', { files: few(instructions) }))],
    ...lowered.length === 0 ? [] : [warned('bits_taken', reason('bits_taken', { files: few(lowered) }))]
  ]
}

function few (sentences: readonly string[]): string {
  return sentences.length > 5 ? `${sentences.slice(0, 5).join('; ')}; and ${sentences.length - 5} more` : sentences.join('; ')
}
