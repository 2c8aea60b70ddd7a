import { type ProbeResult } from '../small-tasks/tasks.js'
import { type Agents } from './agents.js'
import { AgentFailure } from './failure.js'

/** Starts an agent, in its sandbox if `rule` says so, and returns in words whether it works. Never rejects. */
export async function probeAgent (agents: Agents, id: string, rule: 'auto' | 'off'): Promise<ProbeResult> {
  try {
    const { agent, offer: { name, version, models } } = await agents.look(id, rule)
    return { ok: true, message: `${agent.displayName} answers${name === '' ? '' : ` (${[name, version].filter((part) => part !== '').join(' ')})`}${models.length === 0 ? '' : ` and has ${models.length} models`}.` }
  } catch (error) {
    if (error instanceof AgentFailure) {
      return { ok: false, type: error.failure.type, message: [error.failure.message, error.failure.hint].filter(Boolean).join(' ') }
    }
    return { ok: false, type: 'error', message: 'The agent could not be asked.' }
  }
}
