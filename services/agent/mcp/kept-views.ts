import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync, utimesSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { Type, type Static } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { replaceFile } from '../../ground/home/home-file.js'
import { tried } from '../../ground/tried.js'
import { type ViewPage } from './views.js'

// Views of calls, stored in the home of their profile: they are shown long after the call, when the server and the host are gone. A page is
// stored once, however many calls show it.

const origins = Type.Array(Type.String())
const page = Type.Object({
  html: Type.String(),
  domains: Type.Object({ connect: origins, resource: origins, frame: origins, base: origins })
})
const call = Type.Object({
  callId: Type.String(),
  server: Type.String(),
  tool: Type.String(),
  uri: Type.String(),
  page: Type.String(),
  /** What the tool was called with, and the server's complete answer. */
  args: Type.Record(Type.String(), Type.Unknown()),
  answer: Type.Unknown()
})
type KeptCall = Static<typeof call>
/** A call with its view; `page` is null if it is no longer stored. */
export interface KeptView extends Omit<KeptCall, 'page'> { page: ViewPage | null }

const mostCompressed = 2 * 1_024 * 1_024
const longestAnswer = 1_024 * 1_024
const mostPages = 100
const mostOfSession = 200
const compress = promisify(gzip)
const expand = promisify(gunzip)

const short = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32)
const folderOf = (home: string): string => join(home, 'webui_state', 'mcp', 'views')
const pagesOf = (home: string): string => join(home, 'webui_state', 'mcp', 'view-pages')
const sessionFolder = (home: string, sessionId: string): string => join(folderOf(home), short(sessionId))

/** Stores the view of a call. Throws errors of the disk, and for a view or an answer that is too long. */
export async function keepView (home: string, sessionId: string, { page: shown, ...kept }: Omit<KeptCall, 'page'> & { page: ViewPage }): Promise<void> {
  const folder = sessionFolder(home, sessionId)
  if (namesIn(folder).length >= mostOfSession) throw new Error('This conversation has as many views as are kept')
  const text = JSON.stringify(shown)
  const name = short(text)
  const path = join(pagesOf(home), name)
  if (statSync(path, { throwIfNoEntry: false }) === undefined) {
    const compressed = (await compress(text)).toString('base64')
    if (compressed.length * 0.75 > mostCompressed) throw new Error('The view is too long to be kept')
    await replaceFile(path, compressed, { mode: 0o600, home })
    dropOldest(pagesOf(home))
  } else {
    // A page that is shown again must not count as one of the oldest.
    const now = new Date()
    utimesSync(path, now, now)
  }
  const { callId, ...rest } = kept
  const record = JSON.stringify({ callId, ...rest, page: name } satisfies KeptCall)
  if (record.length > longestAnswer) throw new Error('The answer is too long to be kept')
  await replaceFile(join(folder, short(callId)), record, { mode: 0o600, home })
}

/** Returns the ids of a session's calls that have a view. */
export function keptViewsOf (home: string, sessionId: string): string[] {
  const folder = sessionFolder(home, sessionId)
  return namesIn(folder).flatMap((name) => tried(() => callIdIn(join(folder, name)), null) ?? [])
}

/** Returns the server of a call's view; null if there is no view. */
export function serverOfView (home: string, sessionId: string, callId: string): string | null {
  return readCall(join(sessionFolder(home, sessionId), short(callId)))?.server ?? null
}

/** Returns the view of a call; null if there is none. */
export async function readView (home: string, sessionId: string, callId: string): Promise<KeptView | null> {
  const found = readCall(join(sessionFolder(home, sessionId), short(callId)))
  if (found === null) return null
  try {
    const text = await expand(Buffer.from(readFileSync(join(pagesOf(home), found.page), 'utf8'), 'base64'), { maxOutputLength: 16 * 1_024 * 1_024 })
    const shown: unknown = JSON.parse(text.toString())
    return { ...found, page: Value.Check(page, shown) ? shown : null }
  } catch {
    return { ...found, page: null }
  }
}

/** Deletes the views of a session. Never rejects. */
export async function forgetViews (home: string, sessionId: string): Promise<void> {
  await rm(sessionFolder(home, sessionId), { recursive: true, force: true }).catch(() => {})
}

function readCall (path: string): KeptCall | null {
  const found: unknown = tried(() => JSON.parse(readFileSync(path, 'utf8')), null)
  return Value.Check(call, found) ? found : null
}

/** Reads the id of a call from the beginning of its file, because answers are long and all calls of a session are listed at once. */
function callIdIn (path: string): string | null {
  const beginning = Buffer.alloc(1_024)
  const file = openSync(path, 'r')
  try {
    const text = beginning.toString('utf8', 0, readSync(file, beginning, 0, beginning.length, 0))
    const [, id] = /^\{"callId":("[^"\\]*")[,}]/.exec(text) ?? []
    return id === undefined ? readCall(path)?.callId ?? null : String(JSON.parse(id))
  } finally {
    closeSync(file)
  }
}

/** Returns the names of stored files, without those that are still being written. */
const namesIn = (folder: string): string[] => tried(() => readdirSync(folder).filter((name) => /^[0-9a-f]{32}$/.test(name)), [])

function dropOldest (folder: string): void {
  const names = namesIn(folder)
  if (names.length <= mostPages) return
  const aged = names.map((name) => ({ name, at: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
  const oldest = aged.toSorted((a, b) => a.at - b.at).slice(0, names.length - mostPages)
  for (const { name } of oldest) rmSync(join(folder, name), { force: true })
}
