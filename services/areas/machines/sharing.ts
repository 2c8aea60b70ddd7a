import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { type PlacedUploads, type RunSpec } from '../../agent/protocol.js'
import { DomainError, Unavailable } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { objectOptions } from '../../ground/nats/objects.js'
import { unreachable, type Asking } from './asking.js'

export interface SharingOptions {
  link: () => Promise<NatsLink> | null
  asking: Pick<Asking, 'ask'>
  log: Log
}

/** An upload that no machine has fetched after this time counts as abandoned. */
const staleMs = 10 * 60_000
const prefix = 'upload-'

/**
 * Makes the uploads of a run's conversations available to the machine that it works on. Those that the machine lacks are put into its
 * bucket, in chunks, and the spec says where. The spec of a run on this machine is returned unchanged. Throws Unavailable.
 */
export function createSharing ({ link, asking, log }: SharingOptions): (spec: RunSpec) => Promise<RunSpec> {
  async function put (machine: string, path: string): Promise<string> {
    const connected = await link()
    if (connected === null) throw unreachable(machine)
    const object = `${prefix}${crypto.randomUUID()}`
    const bucket = await connected.objm.open(connected.subjects.objects(machine))
    const send = async () =>
      await bucket.put({ name: object, options: objectOptions }, Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>)
    await send().catch(async () => {
      for (const {
        name, mtime
      } of await bucket.list()) if (name.startsWith(prefix) && Date.parse(mtime) < Date.now() - staleMs) await bucket.delete(name)
      await send()
    })
    return object
  }

  return async (spec) => {
    const { host: machine, places: { workspace, ...folders } } = spec
    if (machine === undefined) return spec
    const shared = await Promise.all(
      Object.entries(folders).map(async ([place, folder]) => ({ place, folder, session: basename(folder), files: await filesIn(folder) }))
    )
    const all = shared.flatMap(({ folder, session, files }) => files.map((file) => ({ folder, session, file })))
    const missing = new Set(all.length === 0
      ? []
      : await asking.ask(machine, 'missing_uploads', { files: all.map(({ session, file: { name, size } }) => ({ session, name, size })) }))
    for (const [index, { folder, file }] of all.entries()) {
      if (!missing.has(index)) continue
      try {
        file.object = await put(machine, join(folder, file.name))
      } catch (error) {
        log('an upload could not be sent to a machine', { machine, reason: String(error) })
        throw error instanceof DomainError
          ? error
          : new Unavailable(`The uploads of this conversation could not be sent to the machine ${machine}`, 'host_unreachable')
      }
    }
    return {
      ...spec,
      places: { workspace, ...Object.fromEntries(shared.map(({ place, session }) => [place, session])) },
      uploads: {
        root: dirname(folders['attachments'] ?? ''),
        places: Object.fromEntries(shared.map(({ place, session, files }) => [place, { session, files }]))
      }
    }
  }
}

async function filesIn (folder: string): Promise<PlacedUploads['files']> {
  const files: PlacedUploads['files'] = []
  for (const name of await readdir(folder).catch(() => [])) {
    const stats = await lstat(join(folder, name)).catch(() => null)
    if (stats?.isFile() === true) files.push({ name, size: stats.size })
  }
  return files
}
