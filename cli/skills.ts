import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Static } from '@sinclair/typebox'
import { pack } from 'tar-stream'
import { SkillInspection } from '../schemas/skills.js'
import { fieldsOf } from '../services/ground/fields.js'
import { askerOf } from './asking.js'
import { CommandFailed } from './command.js'
import { bytesOverSocket, placesNow, rawOf } from './service.js'

const mostFiles = 1_000
const mostBytes = 64 * 1024 * 1024
const left: ReadonlySet<string> = new Set(['.git', '.DS_Store'])

/** Uploads an archive to the running service. Returns what it contains. Throws CommandFailed with the service's error message. */
export async function inspectArchive (archive: { name: string, bytes: Uint8Array }): Promise<Static<typeof SkillInspection>> {
  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(archive.bytes)]), archive.name)
  const encoded = new Response(form)
  const sent = { type: encoded.headers.get('content-type') ?? '', bytes: Buffer.from(await encoded.arrayBuffer()) }
  const asking = askerOf(async (path) => rawOf(await bytesOverSocket(placesNow().stateDir, path, { sent })))
  return await asking('/api/skills/inspect', SkillInspection)
}

/** Returns skills of the running service as a zip archive. Throws CommandFailed with the service's error message. */
export async function exportedSkills (names: readonly string[]): Promise<Buffer> {
  const query = new URLSearchParams(names.map((name): [string, string] => ['name', name]))
  const { status, bytes } = await bytesOverSocket(placesNow().stateDir, `/api/skills/export?${query}`)
  if (status < 400) return bytes
  const { error } = fieldsOf(rawOf({ status, bytes }).body)
  throw new CommandFailed(typeof error === 'string' ? error : `The service answered with status ${status}`)
}

/** Reads an archive, or makes one of a folder. Throws CommandFailed for anything else, and for links and too much in a folder. */
export async function archiveAt (path: string): Promise<{ name: string, bytes: Buffer }> {
  const at = resolve(path)
  const found = await stat(at).catch(() => null)
  if (found?.isFile() === true) return { name: basename(at), bytes: await readFile(at) }
  if (found?.isDirectory() !== true) throw new CommandFailed(`${path} is neither a file nor a folder`)
  const packing = pack()
  const bytes = buffer(packing)
  await addFolder(packing, at, basename(at), { files: 0, bytes: 0 })
  packing.finalize()
  return { name: `${basename(at)}.tar`, bytes: await bytes }
}

async function addFolder (
  packing: ReturnType<typeof pack>, folder: string, name: string, count: { files: number, bytes: number }
): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (left.has(entry.name)) continue
    const [path, inside] = [join(folder, entry.name), `${name}/${entry.name}`]
    if (entry.isDirectory()) {
      await addFolder(packing, path, inside, count)
      continue
    }
    if (!entry.isFile()) throw new CommandFailed(`${path} is a link or something else that is not a file. Skills are imported without those`)
    const [bytes, { mode }] = [await readFile(path), await stat(path)]
    count.bytes += bytes.length
    if (++count.files > mostFiles || count.bytes > mostBytes) throw new CommandFailed(`The folder has more than ${mostFiles} files or 64 MiB. Name the folder with the skills`)
    packing.entry({ name: inside, mode: mode & 0o777 }, bytes)
  }
}
