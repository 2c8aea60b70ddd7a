import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asset } from '../../../services/ground/assets.js'
import { type TestService } from '../app.js'

const program = asset('test/support/acp/agent.js')

/** An entry of `agents` in config.yaml that starts the scripted agent. */
export function scripted (env: Record<string, string> = {}): Record<string, unknown> {
  return { command: [process.execPath, program], name: 'Scripted', env }
}

/** Writes a profile's config.yaml; JSON is YAML. */
export function writeConfig (folder: string, config: Record<string, unknown>): void {
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify(config, null, 2))
}

/** The profile of a service answers with the scripted agent from now on. */
export function useScripted (service: Pick<TestService, 'folder'>, { env = {}, ...more }: { env?: Record<string, string>, [key: string]: unknown } = {}): void {
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted(env) }, ...more })
}
