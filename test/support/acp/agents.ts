import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asset } from '../../../services/ground/assets.js'
import { start, type TestLike, type TestService } from '../app.js'
import { tokenText, type EventReader, type ReceivedFrame } from '../events.js'

const program = asset('test/support/acp/agent.js')

/** Returns an entry for `agents` in config.yaml that starts the scripted agent. */
export function scripted (env: Record<string, string> = {}): Record<string, unknown> {
  return { command: [process.execPath, program], name: 'Scripted', env, allow_unasked_modes: ['ask', 'plan'] }
}

/** Writes a profile's config.yaml; JSON is YAML. */
export function writeConfig (folder: string, config: Record<string, unknown>): void {
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify(config, null, 2))
}

/** From now on, the service's profile answers with the scripted agent. */
export function useScripted (service: Pick<TestService, 'folder'>, { env = {}, ...more }: { env?: Record<string, string>, [key: string]: unknown } = {}): void {
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted(env) }, ...more })
}

export interface AgentService extends TestService {
  watch (streamId: string, query?: string): Promise<EventReader>
  turn (sessionId: string, message: string, more?: Record<string, unknown>): Promise<{ frames: ReceivedFrame[], text: string, last: ReceivedFrame }>
  /** Answers the next approval of a session. */
  approve (sessionId: string, choice: string): Promise<Record<string, unknown>>
}

let clients = 0

/** Starts a service whose default profile answers with the scripted agent. */
export async function startAgent (t: TestLike, config: Parameters<typeof useScripted>[1] = {}, options: Parameters<typeof start>[1] = {}): Promise<AgentService> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'agents-'))
  useScripted({ folder }, config)
  const service = await start(t, { ...options, folder })
  const watch: AgentService['watch'] = async (streamId, query = '') => await service.events(`/api/chat/stream?stream_id=${streamId}${query}`, { 'user-agent': `agent client ${++clients}` })
  return {
    ...service,
    watch,
    async turn (sessionId, message, more = {}) {
      const reader = await watch(await service.send(sessionId, message, more))
      await reader.ended
      return { frames: reader.frames, text: tokenText(reader.frames).trim(), last: reader.frames.at(-1)! }
    },
    async approve (sessionId, choice) {
      const pending = await service.pending(sessionId)
      await service.respond(sessionId, choice, pending.approval_id)
      return pending
    }
  }
}
