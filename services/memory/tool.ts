import { type RequestAnswer, type RequestBody } from '../agent/requests.js'
import { DomainError } from '../ground/errors.js'
import { visible } from '../ground/visible.js'
import { type Memory } from './memory.js'

/** What the agent of a profile is answered when it wants to change its memory; `saved` is called when it has. Rejects for what is nobody's mistake. */
export async function editForAgent (memory: Memory, profile: string, { section, isMeant, seen, ...edit }: RequestBody<'memory'>, saved: () => void): Promise<RequestAnswer<'memory'>> {
  try {
    if (!isMeant) {
      const { diff, version } = memory.foresee(profile, section, edit)
      return { text: 'It has not been done.', isError: false, diff: visible(diff), version }
    }
    const { bytes } = await memory.edit(profile, section, edit, { version: seen ?? null })
    saved()
    return { text: `Done. It holds from the next turn on. The document has ${bytes} bytes of ${memory.limitBytes}.`, isError: false, diff: null }
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
    return { text: error.message, isError: true, diff: null }
  }
}
