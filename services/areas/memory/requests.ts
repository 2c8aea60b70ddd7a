import { type AgentRuntime } from '../../agent/index.js'
import { domainMessage } from '../../ground/errors.js'
import { type MemoryEdit } from './entries.js'
import { type Memory } from './memory.js'
import { type Section } from './rows.js'

const unremembered = 'This is a temporary chat: nothing is remembered from it. Tell the person that they can keep the chat first.'

/**
 * Answers requests of runs about the memory of their profile. Temporary chats cannot change it; `saved` is called when another run has.
 */
export function answerRuns (
  memory: Memory, agent: Pick<AgentRuntime, 'serve'>, isTemporary: (sessionId: string) => boolean,
  saved: (run: { runId: string, sessionId: string }, edit: MemoryEdit & { section: Section }) => void
): void {
  agent.serve('memory_text', async ({ section, ...edit }, { spec: { profile, sessionId } }) => {
    if (isTemporary(sessionId)) return { problem: unremembered }
    try {
      return memory.foresee(profile, section, edit)
    } catch (error) {
      return { problem: domainMessage(error) }
    }
  })

  agent.serve('memory_save', async ({ section, expected, ...edit }, { spec }) => {
    if (isTemporary(spec.sessionId)) return { text: unremembered, isError: true }
    try {
      const { bytes } = await memory.edit(spec.profile, section, edit, { version: expected })
      saved(spec, { section, ...edit })
      return { text: `Done. It holds from the next turn on. The document has ${bytes} bytes of ${memory.limitBytes}.`, isError: false }
    } catch (error) {
      return { text: domainMessage(error), isError: true }
    }
  })
}
