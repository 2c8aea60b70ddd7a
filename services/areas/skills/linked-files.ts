import { readdir } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { LinkLoop, realPath, within } from '../../ground/files/containment.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { openFile } from '../../workspace/place/place.js'

/** The files next to a SKILL.md, by the subfolder that they are in: paths relative to the skill's folder. */
export interface LinkedFiles { references: string[], templates: string[], scripts: string[], assets: string[] }

const kinds = ['references', 'templates', 'scripts', 'assets'] as const
const mostFiles = 200
const deepest = 4
/** The size limit of texts that people and models read. */
export const longestTextBytes = 1024 * 1024

/** Lists the files of a skill's folder (absolute, free of symlinks). Leaves out hidden files and links. Never throws. */
export async function linkedFiles (folder: string): Promise<LinkedFiles> {
  const lists = await Promise.all(kinds.map(async (kind) => [kind, await filesBelow(folder, kind)] as const))
  return Object.fromEntries(lists) as unknown as LinkedFiles
}

async function filesBelow (folder: string, kind: string): Promise<string[]> {
  const files: string[] = []
  let folders = [kind]
  for (let depth = 0; depth < deepest && folders.length > 0; depth++) {
    const below: string[] = []
    for (const place of folders.slice(0, mostFiles)) {
      for (const entry of await readdir(join(folder, place), { withFileTypes: true }).catch(() => [])) {
        if (entry.name.startsWith('.')) continue
        if (entry.isFile()) files.push(`${place}/${entry.name}`)
        else if (entry.isDirectory()) below.push(`${place}/${entry.name}`)
        if (files.length >= mostFiles) return files.sort()
      }
    }
    folders = below
  }
  return files.sort()
}

/**
 * Reads a text file of a skill's folder. Throws Invalid("Invalid file path") for a path that leads out of the folder, NotFound for anything
 * that is not a file or is too large, and Invalid for a file that is not text.
 */
export async function readSkillFile (folder: string, path: string): Promise<{ text: string, path: string }> {
  if (isAbsolute(path) || path.includes('\0') || path.split('/').includes('..') || !staysWithin(folder, path)) {
    throw new Invalid('Invalid file path')
  }
  const { handle, stats, path: shown } = await openFile({ root: folder, closed: [] }, path).catch((error: unknown) => {
    throw error instanceof NotFound ? new NotFound('File not found') : error
  })
  try {
    if (stats.size > longestTextBytes) throw new NotFound(`File too large (${stats.size} bytes, max ${longestTextBytes})`, 'too_large')
    const buffer = Buffer.alloc(longestTextBytes + 1)
    const { bytesRead } = await handle.read(buffer, 0, Number(stats.size), 0)
    return { text: decode(buffer.subarray(0, bytesRead)), path: shown }
  } finally {
    await handle.close()
  }
}

function staysWithin (folder: string, path: string): boolean {
  try {
    return within(folder, realPath(join(folder, path)))
  } catch (error) {
    if (error instanceof LinkLoop) return false
    throw error
  }
}

function decode (bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Invalid('This file is not text', 'not_text')
  }
}
