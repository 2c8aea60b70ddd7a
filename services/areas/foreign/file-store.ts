import { type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Unavailable } from '../../ground/errors.js'
import { type Entry } from './facts.js'
import { newestFiles, type Search } from './folders.js'
import { follow } from './follow.js'
import { chunkBytes, fits, openRegular, parseLine, readLines } from './lines.js'
import { type OpenedConversation, type Store } from './store.js'

export interface FileStoreOptions extends Search {
  /** Returns the folder that a conversation worked in, if its entries do not say. */
  workspaceOf?: (path: string) => Promise<string | null>
}

/** Conversations in files with one JSON object in each line, to which their programs append. */
export function fileStore ({ workspaceOf, ...search }: FileStoreOptions): Store {
  return {
    found: async () => await newestFiles(search),

    async follow (reader, options) {
      const followed = await follow(reader, options)
      if (followed === null || workspaceOf === undefined || followed.told.workspace !== null) return followed
      return { ...followed, told: { ...followed.told, workspace: await workspaceOf(options.path) } }
    },

    async open (path, work) {
      const handle = await openRegular(path)
      if (handle === null) throw new Unavailable('The file of this conversation is missing or cannot be read')
      try {
        const { size, mtimeMs } = await handle.stat()
        return await work(openedFile(handle, { sizeBytes: size, modifiedMs: mtimeMs }))
      } finally {
        await handle.close()
      }
    }
  }
}

function openedFile (handle: FileHandle, { sizeBytes, modifiedMs }: { sizeBytes: number, modifiedMs: number }): OpenedConversation {
  return {
    sizeBytes,
    modifiedMs,
    fits: async ({ readBytes, seam }) => sizeBytes >= readBytes && await fits(handle, Buffer.from(seam, 'base64'), readBytes),
    async read ({ from, mostBytes = Infinity, before, onRead, pause }, take) {
      const start = from?.readBytes ?? 0
      if (before !== undefined && start > 0) await readBefore(handle, { to: start, pause }, before)
      const to = Math.min(sizeBytes, start + mostBytes)
      const { end, seam } = await readLines(handle, { from: start, to, onRead, pause }, (line) => {
        const entry = parseLine(line)
        if (entry !== null) take(entry)
        return true
      })
      const place = { readBytes: end, seam: seam?.toString('base64') ?? from?.seam ?? '' }
      // What is left then is an incomplete line.
      return { place, isWhole: to === sizeBytes || end === start, held: null }
    }
  }
}

/** Reads the lines directly before a position. */
async function readBefore (
  handle: FileHandle, { to, pause }: { to: number, pause: () => Promise<unknown> }, take: (entry: Entry) => void
): Promise<void> {
  const from = Math.max(0, to - chunkBytes)
  let isBeginningLost = from > 0
  await readLines(handle, { from, to, pause }, (line) => {
    const entry = isBeginningLost ? null : parseLine(line)
    isBeginningLost = false
    if (entry !== null) take(entry)
    return true
  })
}

/** Reads a short text next to a conversation; null if there is none. */
export async function readBeside (folder: string, name: string): Promise<string | null> {
  const handle = await openRegular(join(folder, name))
  if (handle === null) return null
  try {
    const text = Buffer.alloc(4_097)
    const { bytesRead } = await handle.read(text, 0, text.length, 0)
    return bytesRead < text.length ? text.toString('utf8', 0, bytesRead).trim() : null
  } finally {
    await handle.close()
  }
}
