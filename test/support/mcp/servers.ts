import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { stringify } from 'yaml'
import { asset } from '../../../services/ground/assets.js'
import { startChat, type ChatService } from '../chat.js'
import { type StartOptions, type TestLike } from '../app.js'
import { temporaryFolder } from '../folder.js'

export const hostile = asset('test/support/mcp/hostile.js')
export const everything = join(dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')), 'dist', 'index.js')

export const hostileServer = (mode = 'plain', file = ''): Record<string, unknown> => ({ command: process.execPath, args: [hostile, mode, file] })
export const appsServer = { command: process.execPath, args: [asset('test/support/mcp/apps.js')] }
export const everythingServer = { command: process.execPath, args: [everything, 'stdio'] }

export interface McpService extends ChatService { home: string, configure (config: Record<string, unknown>): void }

/** Starts a service whose default profile has these settings. */
export async function startWith (t: TestLike, config: Record<string, unknown>, options: StartOptions = {}): Promise<McpService> {
  const folder = temporaryFolder(t as Parameters<typeof temporaryFolder>[0], 'mcp')
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  const configure = (config: Record<string, unknown>): void => writeFileSync(join(home, 'config.yaml'), stringify(config))
  configure(config)
  return { ...await startChat(t, { folder, ...options }), home, configure }
}
